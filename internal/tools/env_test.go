package tools

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/base/arguments"
	"agent/internal/testing/require"
	"agent/internal/workspace"
)

// fileEnv returns an Env whose workspace has these files.
func fileEnv(t testing.TB, files map[string]string) *Env {
	t.Helper()
	w, err := workspace.New(t.TempDir(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		full := filepath.Join(w.Root(), name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return &Env{Workspace: w, Seen: NewSeenFiles(), Limits: Limits{OutputTokens: 16000, ReadLines: 2000}}
}

// with sets the limits of the results of an Env.
func (e *Env) with(limits Limits) *Env {
	e.Limits = limits
	return e
}

// see makes the files known to the model.
func see(t testing.TB, env *Env, files ...string) {
	t.Helper()
	for _, file := range files {
		mustRun(t, env, readFile(), map[string]any{"file_path": file})
	}
}

type params = map[string]any

func mustRun(t testing.TB, env *Env, tool Tool, args params) Answer {
	t.Helper()
	answer := call(t, env, tool, args)
	if answer.Error != "" {
		t.Fatalf("%s %v: %s", tool.Name, args, answer.Error)
	}
	return answer
}

// mustRefuse runs a call that must fail. The error must contain all words, and no file may change.
func mustRefuse(t testing.TB, env *Env, tool Tool, args params, words ...string) string {
	t.Helper()
	before := contents(t, env.Workspace.Root())
	answer := call(t, env, tool, args)
	if answer.Error == "" {
		t.Fatalf("%s %v was not refused: %s", tool.Name, args, answer.ModelText())
	}
	for _, word := range words {
		if !strings.Contains(answer.Error, word) {
			t.Errorf("%s %v: the error lacks %q:\n%s", tool.Name, args, word, answer.Error)
		}
	}
	if after := contents(t, env.Workspace.Root()); after != before {
		t.Errorf("%s %v was refused, yet the files changed from\n%s\nto\n%s", tool.Name, args, before, after)
	}
	return answer.Error
}

func call(t testing.TB, env *Env, tool Tool, args params) Answer {
	t.Helper()
	return runTool(t.Context(), t, tool, env, args)
}

// runTool plans a call and applies the plan.
func runTool(ctx context.Context, t testing.TB, tool Tool, env *Env, args params) Answer {
	t.Helper()
	plan, err := planCall(ctx, t, tool, env, args)
	if err != nil {
		return failedAnswer(err)
	}
	return plan.Apply(ctx)
}

func planCall(ctx context.Context, t testing.TB, tool Tool, env *Env, args params) (Plan, error) {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return tool.Plan(ctx, env, arguments.Parse(raw))
}

// contents lists every file below a folder with mode and content.
func contents(t testing.TB, root string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		out.WriteString(path + " " + info.Mode().String())
		if info.Mode().IsRegular() {
			out.WriteString(" " + content(t, path))
		}
		out.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func content(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func wantContent(t testing.TB, env *Env, file, want string) {
	t.Helper()
	if got := content(t, filepath.Join(env.Workspace.Root(), file)); got != want {
		t.Errorf("%s holds\n%q, want\n%q", file, got, want)
	}
}

func wantResult(t testing.TB, answer Answer, want string) {
	t.Helper()
	if answer.Error != "" || answer.ModelText() != want {
		t.Errorf("got result\n%s\nerror %q, want\n%s", answer.ModelText(), answer.Error, want)
	}
}

// link makes a symbolic link in a workspace.
func link(t testing.TB, env *Env, target, name string) {
	t.Helper()
	require.Link(t, target, filepath.Join(env.Workspace.Root(), name))
}

func writeTestFile(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
