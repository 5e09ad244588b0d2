package tools

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// changedInTurn sets the times of the files, so that the last one is the newest.
func changedInTurn(t *testing.T, env *Env, names ...string) {
	t.Helper()
	for i, name := range names {
		at := time.Unix(1_700_000_000+int64(i), 0)
		if err := os.Chtimes(filepath.Join(env.Workspace.Root(), name), at, at); err != nil {
			t.Fatal(err)
		}
	}
}

func TestGlobAnswersTheLatestFirst(t *testing.T) {
	t.Parallel()
	env := searchEnv(t, map[string]string{
		"a.go": "", "b.go": "", "sub/c.go": "", "sub/c_test.go": "", "sub/deep/d.go": "", "e.md": "",
		".gitignore": "/out/\n", "out/gen/x.go": "", "out/y.go": "",
	})
	changedInTurn(t, env, "sub/deep/d.go", "b.go", "a.go", "sub/c_test.go", "sub/c.go", "e.md", "out/gen/x.go", "out/y.go")
	for _, c := range []struct {
		args map[string]any
		want string
	}{
		{map[string]any{"pattern": "**/*.go"}, "sub/c.go\nsub/c_test.go\na.go\nb.go\nsub/deep/d.go\n"},
		{map[string]any{"pattern": "*.go"}, "a.go\nb.go\n"},
		{map[string]any{"pattern": "./*.{go,md}"}, "e.md\na.go\nb.go\n"},
		{map[string]any{"pattern": "sub/*.go"}, "sub/c.go\nsub/c_test.go\n"},
		{map[string]any{"pattern": "*_test.go", "path": "sub"}, "sub/c_test.go\n"},
		{map[string]any{"pattern": "a.go"}, "a.go\n"},
		{map[string]any{"pattern": env.Workspace.Root() + "/sub/**/d.go"}, "sub/deep/d.go\n"},
		{map[string]any{"pattern": "out/**"}, "out/y.go\nout/gen/x.go\n"},
		{map[string]any{"pattern": "**/x.go"}, "No file matches **/x.go."},
		{map[string]any{"pattern": "missing/*.go"}, "No file matches missing/*.go."},
	} {
		if answer := runTool(t.Context(), t, glob(), env, c.args); answer.ModelText() != c.want || answer.Error != "" {
			t.Errorf("%v: %+v, want %q", c.args, answer, c.want)
		}
	}
	for _, c := range []struct {
		args map[string]any
		want string
	}{
		{map[string]any{"pattern": " "}, "pattern is empty"},
		{map[string]any{"pattern": "[a"}, "not a valid glob"},
		{map[string]any{"pattern": "../*"}, "outside the workspace"},
		{map[string]any{"pattern": "/etc/*"}, "outside the workspace"},
		{map[string]any{"pattern": "*/../../*"}, ".. after a wildcard"},
		{map[string]any{"pattern": "*", "path": "a.go"}, "path must be a folder"},
		{map[string]any{"pattern": "*", "path": "missing"}, "missing does not exist"},
	} {
		if answer := runTool(t.Context(), t, glob(), env, c.args); !strings.Contains(answer.Error, c.want) {
			t.Errorf("%v: %+v, want the error %q", c.args, answer, c.want)
		}
	}
}

func TestGlobIsBounded(t *testing.T) {
	t.Parallel()
	first := filepath.Join("f", "0")
	env := searchEnv(t, map[string]string{first: ""})
	for i := range maxListed + 4 {
		root := env.Workspace.Root()
		name := filepath.Join(root, "f", strings.Repeat("n", i%7), fmt.Sprint(i+1))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.Link(filepath.Join(root, first), name)); err != nil {
			t.Fatal(err)
		}
	}
	answer := runTool(t.Context(), t, glob(), env, map[string]any{"pattern": "**"})
	if !strings.HasSuffix(answer.ModelText(), "[files 1-1000 of 1005; continue with offset 1001, or narrow the pattern]") {
		t.Errorf("%.100s … %s", answer.ModelText(), answer.ModelText()[len(answer.ModelText())-100:])
	}
	env.Limits.OutputTokens = 500
	answer = runTool(t.Context(), t, glob(), env, map[string]any{"pattern": "**"})
	if len(answer.ModelText()) > env.Limits.OutputBytes() {
		t.Errorf("%d bytes", len(answer.ModelText()))
	}
}
