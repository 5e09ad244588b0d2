package tools

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/workspace"
)

// searchEnv returns an Env whose workspace has these files.
func searchEnv(t testing.TB, files map[string]string) *Env {
	t.Helper()
	workspace, err := workspace.New(t.TempDir(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		path := filepath.Join(workspace.Root(), name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return &Env{Workspace: workspace, Limits: Limits{OutputTokens: 4000}}
}

// A file that is too large to search is named, whether or not another file matches.
func TestSearchNamesSkippedFiles(t *testing.T) {
	t.Parallel()
	env := searchEnv(t, map[string]string{"a.go": "one\n", "sub/huge.log": "two\n"})
	if err := os.Truncate(filepath.Join(env.Workspace.Root(), "sub/huge.log"), maxSearchedBytes+1); err != nil {
		t.Fatal(err)
	}
	const skipped = "[1 file not searched, because larger than 32.0 MiB: sub/huge.log]"
	for pattern, want := range map[string]string{
		"one": "a.go:1: one\n[matching lines: 1, files: 1]\n" + skipped,
		"two": "No line matches two in the workspace.\n" + skipped,
	} {
		if answer := runTool(t.Context(), t, searchFileContent(), env, map[string]any{"pattern": pattern}); answer.ModelText() != want || answer.Error != "" {
			t.Errorf("%s: %+v, want %q", pattern, answer, want)
		}
	}
}

func TestSearchToolAnswers(t *testing.T) {
	t.Parallel()
	env := searchEnv(t, map[string]string{
		"a.go": "one two\none\n", "b.md": "one\n", "sub/c.go": "one\n",
		"long":           strings.Repeat("x", 5000) + "needle" + strings.Repeat("y", 5000) + "\n",
		".gitignore":     "/vendor/\n",
		"vendor/lib/d.c": "one\n",
		"around":         "a\nb\r\nc\nd\ne\nf\ng\nh",
	})
	for _, c := range []struct {
		args map[string]any
		want string
	}{
		{map[string]any{"pattern": "one"}, "a.go\n1: one two\n2: one\nb.md:1: one\nsub/c.go:1: one\n[matching lines: 4, files: 3]"},
		{map[string]any{"pattern": "one", "include": "*.go"}, "a.go\n1: one two\n2: one\nsub/c.go:1: one\n[matching lines: 3, files: 2]"},
		{map[string]any{"pattern": "one", "include": "sub/**"}, "sub/c.go:1: one\n[matching lines: 1, files: 1]"},
		{map[string]any{"pattern": "one", "path": "sub"}, "sub/c.go:1: one\n[matching lines: 1, files: 1]"},
		{map[string]any{"pattern": "one", "path": "b.md"}, "b.md:1: one\n[matching lines: 1, files: 1]"},
		{map[string]any{"pattern": "one", "path": "vendor/lib"}, "vendor/lib/d.c:1: one\n[matching lines: 1, files: 1]"},
		{map[string]any{"pattern": "one", "max_results": 2}, "a.go\n1: one two\n2: one\n[matching lines 1-2; there are more: continue with offset 3, or narrow pattern, path or include]"},
		{map[string]any{"pattern": "one", "mode": "files", "context": 3}, "a.go\nb.md\nsub/c.go\n[files: 3]"},
		{map[string]any{"pattern": "one", "mode": "files", "max_results": 2}, "a.go\nb.md\n[matching files 1-2; there are more: continue with offset 3, or narrow pattern, path or include]"},
		{map[string]any{"pattern": "one", "mode": "count"}, "a.go: 2\nb.md: 1\nsub/c.go: 1\n[matching lines: 4, files: 3]"},
		{map[string]any{"pattern": "[bfh]$", "path": "around", "context": 1}, "around\n1- a\n2: b\n3- c\n--\n5- e\n6: f\n7- g\n8: h\n[matching lines: 3, files: 1]"},
		{map[string]any{"pattern": "h", "path": "around", "context": 20}, "around\n1- a\n2- b\n3- c\n4- d\n5- e\n6- f\n7- g\n8: h\n[matching lines: 1, files: 1]\n[context is at most 10 lines; read_file shows more]"},
		{map[string]any{"pattern": "none", "include": "*.go"}, "No line matches none in the workspace, files *.go."},
		{map[string]any{"pattern": "needle"}, "long:1: …" + strings.Repeat("x", 100) + "needle" + strings.Repeat("y", 194) + "…\n[matching lines: 1, files: 1]"},
	} {
		if answer := runTool(t.Context(), t, searchFileContent(), env, c.args); answer.ModelText() != c.want || answer.Error != "" {
			t.Errorf("%v: %+v, want %q", c.args, answer, c.want)
		}
	}
	for _, c := range []struct {
		args map[string]any
		want string
	}{
		{map[string]any{"pattern": ""}, "pattern is empty"},
		{map[string]any{"pattern": "a("}, "missing closing )"},
		{map[string]any{"pattern": "(?=a)"}, "no look-around"},
		{map[string]any{"pattern": "a\nb"}, "lines are searched one at a time"},
		{map[string]any{"pattern": "a", "include": "["}, "not a valid glob"},
		{map[string]any{"pattern": "a", "path": "missing"}, "missing does not exist"},
		{map[string]any{"pattern": "a", "path": ".."}, "outside the workspace"},
		{map[string]any{"pattern": "a", "max_results": -1}, "max_results must be"},
		{map[string]any{"pattern": "a", "context": -1}, "context must be"},
		{map[string]any{"pattern": "a", "mode": "all"}, "valid: lines, files, count"},
	} {
		if answer := runTool(t.Context(), t, searchFileContent(), env, c.args); !strings.Contains(answer.Error, c.want) {
			t.Errorf("%v: %+v, want the error %q", c.args, answer, c.want)
		}
	}
}

func TestSearchResultsAreBounded(t *testing.T) {
	t.Parallel()
	env := searchEnv(t, map[string]string{"a": strings.Repeat("some text that fills the line\n", 5000)})
	env.Limits.OutputTokens = 500
	answer := runTool(t.Context(), t, searchFileContent(), env, map[string]any{"pattern": "text", "max_results": maxMatches})
	if len(answer.ModelText()) > env.Limits.OutputBytes() || !strings.Contains(answer.ModelText(), "continue with offset ") {
		t.Errorf("%d bytes: %.200s", len(answer.ModelText()), answer.ModelText())
	}
}

// The note about a cut names its reason. The last tenth is not cut if the answer may be longer.
func TestSearchCuts(t *testing.T) {
	t.Parallel()
	for n, cut := range map[int]bool{70: false, 76: false, 100: true} { // 80 bytes a line; 2,000 tokens minus a heading fit
		env := searchEnv(t, map[string]string{"a": strings.Repeat(strings.Repeat("x", 100)+"\n", n)})
		env.Limits.FoundTokens = 2000
		answer := runTool(t.Context(), t, searchFileContent(), env, map[string]any{"pattern": "x"}).ModelText()
		if strings.Contains(answer, "; cut at 7.6 KiB]") != cut || cut == strings.HasSuffix(answer, fmt.Sprintf("[matching lines: %d, files: 1]", n)) {
			t.Errorf("%d lines: %s", n, answer[len(answer)-120:])
		}
		env.Limits.OutputTokens = 2000 // no answer may be longer
		answer = runTool(t.Context(), t, searchFileContent(), env, map[string]any{"pattern": "x"}).ModelText()
		if strings.Contains(answer, "; cut at") != (n > 73) || len(answer) > 8000 {
			t.Errorf("%d lines, with the limit of all answers: %s", n, answer[len(answer)-120:])
		}
	}
}

// A link out of the workspace, and a file that would block a reader, are not searched.
func TestSearchStaysInsideAndNeverWaits(t *testing.T) {
	t.Parallel()
	env := searchEnv(t, map[string]string{"a": "secret\n"})
	outside := t.TempDir()
	writeTestFile(t, outside, "s", "secret\n")
	root := env.Workspace.Root()
	if err := os.Symlink(filepath.Join(outside, "s"), filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(root, "dir")); err != nil {
		t.Fatal(err)
	}
	pipe := newLifeline(t)
	if err := os.Rename(pipe.path, filepath.Join(root, "pipe")); err != nil {
		t.Fatal(err)
	}
	wantResult(t, runTool(t.Context(), t, searchFileContent(), env, map[string]any{"pattern": "secret"}), "a:1: secret\n[matching lines: 1, files: 1]")
	if answer := runTool(t.Context(), t, searchFileContent(), env, map[string]any{"pattern": "secret", "path": "link"}); !strings.Contains(answer.Error, "outside") {
		t.Errorf("%+v", answer)
	}
	if answer := runTool(t.Context(), t, searchFileContent(), env, map[string]any{"pattern": "secret", "path": "pipe"}); !strings.Contains(answer.Error, "not a regular file") {
		t.Errorf("%+v", answer)
	}
}

func TestSearchEndsWhenInterrupted(t *testing.T) {
	t.Parallel()
	env := searchEnv(t, map[string]string{"a": "x\n"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if answer := runTool(ctx, t, searchFileContent(), env, map[string]any{"pattern": "x"}); answer.Error == "" {
		t.Errorf("%+v", answer)
	}
}
