package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/testing/fifo"
)

func TestListDirectoryShowsAllEntries(t *testing.T) {
	t.Parallel()
	env := searchEnv(t, map[string]string{
		"b.go": strings.Repeat("x", 2048), "a.txt": "xyz", "zoo/keep": "x", ".gitignore": "*.log\nbuild/\n", "x.log": "12", "build/out": "x", "logs/only.log": "x",
	})
	root := env.Workspace.Root()
	for _, err := range []error{
		os.Mkdir(filepath.Join(root, "empty"), 0o755),
		os.Symlink("a.txt", filepath.Join(root, "link")),
		fifo.Make(t, filepath.Join(root, "pipe")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	answer := runTool(t.Context(), t, listDirectory(), env, map[string]any{})
	want := `build/ [ignored]
empty/
logs/ [ignored]
zoo/
.gitignore (13 bytes)
a.txt (3 bytes)
b.go (2.0 KiB)
link -> a.txt
pipe (no regular file)
x.log (2 bytes) [ignored]
`
	if answer.ModelText() != want || answer.Error != "" {
		t.Errorf("%+v\nwant %s", answer, want)
	}
	// Files in an ignored folder are not marked, because the model asked for that folder.
	if answer := runTool(t.Context(), t, listDirectory(), env, map[string]any{"path": "build"}); answer.ModelText() != "out (1 byte)\n" {
		t.Errorf("%+v", answer)
	}
	if answer := runTool(t.Context(), t, listDirectory(), env, map[string]any{"path": "empty"}); answer.ModelText() != "empty is empty." {
		t.Errorf("%+v", answer)
	}
	for path, want := range map[string]string{"a.txt": "is a file", "missing": "does not exist", "..": "outside the workspace"} {
		if answer := runTool(t.Context(), t, listDirectory(), env, map[string]any{"path": path}); !strings.Contains(answer.Error, want) {
			t.Errorf("%s: %+v, want the error %q", path, answer, want)
		}
	}
}

func TestListDirectoryIsBounded(t *testing.T) {
	t.Parallel()
	env := searchEnv(t, map[string]string{"0000": ""})
	for i := range maxListed + 2 {
		if err := os.Link(filepath.Join(env.Workspace.Root(), "0000"), filepath.Join(env.Workspace.Root(), fmt.Sprintf("%04d", i+1))); err != nil {
			t.Fatal(err)
		}
	}
	env.Limits.OutputTokens = 20_000
	answer := runTool(t.Context(), t, listDirectory(), env, map[string]any{})
	if strings.Count(answer.ModelText(), "\n") != maxListed || !strings.HasSuffix(answer.ModelText(), "\n[entries 1-1000 of 1003; continue with offset 1001]") {
		t.Errorf("%d lines, %s", strings.Count(answer.ModelText(), "\n"), answer.ModelText()[len(answer.ModelText())-100:])
	}
}
