package tools

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// searches are the ways to search on this machine, by name.
func searches() map[string]search {
	all := map[string]search{"go": searchFiles}
	if program, err := exec.LookPath("rg"); err == nil {
		all["ripgrep"] = ripgrep{program}.search
	}
	return all
}

// searchEnv is an Env over a workspace with files by name and content.
func searchEnv(t testing.TB, files map[string]string) *Env {
	t.Helper()
	workspace, err := NewWorkspace(t.TempDir(), t.TempDir())
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

// found is what a search for a pattern in the whole workspace gives, as in the
// answer.
func found(t *testing.T, by search, env *Env, pattern string, most int) []string {
	t.Helper()
	expression, err := parseExpression(pattern)
	if err != nil {
		t.Fatal(err)
	}
	files, err := env.Workspace.filesToSearch(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	matches, err := by(t.Context(), expression, files, most)
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{}
	for _, m := range matches {
		lines = append(lines, fmt.Sprintf("%s:%d:%d: %s", env.Workspace.Rel(m.file), m.line, m.at, m.text))
	}
	return lines
}

func TestSearchFindsLines(t *testing.T) {
	t.Parallel()
	env := searchEnv(t, map[string]string{
		"a.go":         "package a\n\nfunc Größe() {}\nfunc b() {}\n",
		"sub/b.go":     "x := \"a{b\"\nfunc c() {}",
		"dos.txt":      "first\r\nfunc d\r\n",
		"bin":          "func\x00e\n",
		"latin.txt":    "func caf\xe9\n",
		".gitignore":   "ignored/\n",
		"ignored/x.go": "func ignored() {}\n",
		"kelvin":       "\u212aelvin and \u017fecond\nkelvin\n",
	})
	for name, by := range searches() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for pattern, want := range map[string][]string{
				"func":            {"a.go:3:0: func Größe() {}", "a.go:4:0: func b() {}", "dos.txt:2:0: func d", "latin.txt:1:0: func caf\uFFFD", "sub/b.go:2:0: func c() {}"},
				"(?i)FUNC [A-Z]+": {"a.go:3:0: func Größe() {}", "a.go:4:0: func b() {}", "dos.txt:2:0: func d", "latin.txt:1:0: func caf\uFFFD", "sub/b.go:2:0: func c() {}"},
				`^func \w+\b`:     {"a.go:3:0: func Größe() {}", "a.go:4:0: func b() {}", "dos.txt:2:0: func d", "latin.txt:1:0: func caf\uFFFD", "sub/b.go:2:0: func c() {}"},
				`^func \w+\(`:     {"a.go:4:0: func b() {}", "sub/b.go:2:0: func c() {}"},
				`d$`:              {"dos.txt:2:5: func d", "kelvin:1:19: \u212aelvin and \u017fecond"},
				`a\{b`:            {`sub/b.go:1:6: x := "a{b"`},
				`a{b`:             {`sub/b.go:1:6: x := "a{b"`},
				`(?i)kelvin`:      {"kelvin:1:0: \u212aelvin and \u017fecond", "kelvin:2:0: kelvin"},
				`(?i)(second|x!)`: {"kelvin:1:13: \u212aelvin and \u017fecond"},
				`^$`:              {"a.go:2:0: "},
				`Gr..e`:           {"a.go:3:5: func Größe() {}"},
				"no such text":    {},
			} {
				if diff := cmp.Diff(want, found(t, by, env, pattern, 100)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", pattern, diff)
				}
			}
		})
	}
}

func TestSearchEndsWithTheFirstMatches(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 700 {
		files[fmt.Sprintf("%03d", i)] = "x\nx\nx\n"
	}
	env := searchEnv(t, files)
	for name, by := range searches() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := found(t, by, env, "x", 4)
			if len(got) <= 4 || strings.Join(got[:4], " ") != "000:1:0: x 000:2:0: x 000:3:0: x 001:1:0: x" {
				t.Errorf("%d matches, %.4q", len(got), got)
			}
			if len(got) > 700*3 {
				t.Errorf("searched on after %d matches", len(got))
			}
		})
	}
}

// Both ways to search give the same answer to every expression they both
// understand, and the literal that candidates are found by hides no match.
func TestSearchesAgree(t *testing.T) {
	t.Parallel()
	pieces := rapid.SampledFrom([]string{"a", "b", "k", "S", "ab", "é", " ", "\t", "\n", "\n", "\r\n", "_", "7", "{", "("})
	parts := rapid.SampledFrom([]string{"a", "b", "k", "s", "ab", "é", ".", "a+", "b*", "(a|b)", "[^a]", `\w`, `\d`, `\s`, `\b`, `\B`, "(?i)", "^", "$", "a{2}", "(?:ab)+", `\{`, "k?"})
	everySearch := searches()
	rapid.Check(t, func(rt *rapid.T) {
		var content string
		for _, piece := range rapid.SliceOfN(pieces, 0, 40).Draw(rt, "content") {
			content += piece
		}
		pattern := strings.Join(rapid.SliceOfN(parts, 1, 5).Draw(rt, "pattern"), "")
		expression, err := parseExpression(pattern)
		if err != nil {
			rt.Skip("not a pattern")
		}
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		file := filepath.Join(dir, "f")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			rt.Fatal(err)
		}
		want := plainSearch(expression, file, content)
		for name, by := range everySearch {
			got, err := by(context.Background(), expression, []string{file}, 1000)
			if err == errNotForRipgrep {
				continue
			}
			if err != nil {
				rt.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(match{})); diff != "" {
				rt.Fatalf("%s for %q in %q (-want +got):\n%s", name, pattern, content, diff)
			}
		}
	})
}

// plainSearch is the search that leaves out every shortcut.
func plainSearch(expression *expression, file, content string) []match {
	var matches []match
	number := 0
	for line := range strings.Lines(content) {
		number++
		text := strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if at := expression.FindStringIndex(text); at != nil {
			matches = append(matches, match{file: file, line: number, text: strings.ToValidUTF8(text, "\uFFFD"), at: at[0]})
		}
	}
	return matches
}

func TestSearchToolAnswers(t *testing.T) {
	t.Parallel()
	env := searchEnv(t, map[string]string{
		"a.go": "one two\none\n", "b.md": "one\n", "sub/c.go": "one\n",
		"long":           strings.Repeat("x", 5000) + "needle" + strings.Repeat("y", 5000) + "\n",
		".gitignore":     "/vendor/\n",
		"vendor/lib/d.c": "one\n",
	})
	for _, c := range []struct {
		args map[string]any
		want string
	}{
		{map[string]any{"pattern": "one"}, "a.go:1: one two\na.go:2: one\nb.md:1: one\nsub/c.go:1: one\n[matching lines: 4, files: 3]"},
		{map[string]any{"pattern": "one", "include": "*.go"}, "a.go:1: one two\na.go:2: one\nsub/c.go:1: one\n[matching lines: 3, files: 2]"},
		{map[string]any{"pattern": "one", "include": "sub/**"}, "sub/c.go:1: one\n[matching lines: 1, files: 1]"},
		{map[string]any{"pattern": "one", "path": "sub"}, "sub/c.go:1: one\n[matching lines: 1, files: 1]"},
		{map[string]any{"pattern": "one", "path": "b.md"}, "b.md:1: one\n[matching lines: 1, files: 1]"},
		{map[string]any{"pattern": "one", "path": "vendor/lib"}, "vendor/lib/d.c:1: one\n[matching lines: 1, files: 1]"},
		{map[string]any{"pattern": "one", "max_results": 2}, "a.go:1: one two\na.go:2: one\n[the first 2 matching lines; there are more: narrow pattern, path or include, or raise max_results]"},
		{map[string]any{"pattern": "none", "include": "*.go"}, "No line matches none in the workspace, files *.go."},
		{map[string]any{"pattern": "needle"}, "long:1: …" + strings.Repeat("x", 100) + "needle" + strings.Repeat("y", 194) + "…\n[matching lines: 1, files: 1]"},
	} {
		if answer := runTool(t.Context(), t, searchFileContent(), env, c.args); answer.Result != c.want || answer.Error != "" {
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
		{map[string]any{"pattern": "a\nb"}, "each line is searched by itself"},
		{map[string]any{"pattern": "a", "include": "["}, "no valid glob"},
		{map[string]any{"pattern": "a", "path": "missing"}, "missing does not exist"},
		{map[string]any{"pattern": "a", "path": ".."}, "outside the workspace"},
		{map[string]any{"pattern": "a", "max_results": -1}, "max_results must be"},
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
	answer := runTool(t.Context(), t, searchFileContent(), env, map[string]any{"pattern": "text", "max_results": mostMatches})
	if len(answer.Result) > env.Limits.OutputBytes() || !strings.Contains(answer.Result, "more lines]") {
		t.Errorf("%d bytes: %.200s", len(answer.Result), answer.Result)
	}
}

// What leads out of the workspace, or would make a reader wait, is not searched.
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
	for name, by := range searches() {
		if got := found(t, by, env, "secret", 10); len(got) != 1 {
			t.Errorf("%s: %v", name, got)
		}
	}
	if answer := runTool(t.Context(), t, searchFileContent(), env, map[string]any{"pattern": "secret", "path": "link"}); !strings.Contains(answer.Error, "outside") {
		t.Errorf("%+v", answer)
	}
	if answer := runTool(t.Context(), t, searchFileContent(), env, map[string]any{"pattern": "secret", "path": "pipe"}); !strings.Contains(answer.Error, "no regular file") {
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

// BenchmarkSearch looks through 5 000 files of 64 MB together.
func BenchmarkSearch(b *testing.B) {
	content := strings.Repeat("func (s *server) handle(request *http.Request) error {\n\treturn nil\n}\n\n", 190)
	files := map[string]string{}
	for i := range 5000 {
		files[fmt.Sprintf("pkg%02d/file%04d.go", i%50, i)] = content
	}
	files["pkg25/needle.go"] = content + "// the needle\n"
	env := searchEnv(b, files)
	for name, by := range searches() {
		for kind, pattern := range map[string]string{"literal": "the needle", "regexp": `//\s+the ne+dle`, "fold": "(?i)THE NEEDLE", "slow": `[a-z]+\sneedl[e]$`} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				expression, err := parseExpression(pattern)
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					paths, err := env.Workspace.filesToSearch(b.Context(), "", "")
					if err != nil {
						b.Fatal(err)
					}
					if matches, err := by(b.Context(), expression, paths, 100); err != nil || len(matches) != 1 {
						b.Fatal(len(matches), err)
					}
				}
			})
		}
	}
}
