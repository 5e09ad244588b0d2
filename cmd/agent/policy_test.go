package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agent/internal/app"
	"agent/internal/policy"
	"agent/internal/testing/llmtest"
	"agent/internal/testing/need"
)

// underPolicy runs agent in this process on a machine with a policy, and returns all that it printed.
func underPolicy(t *testing.T, file policy.File, args ...string) (said string, status int) {
	t.Helper()
	server := llmtest.New(t) // a request fails the test
	home := t.TempDir()
	nothing, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer nothing.Close()
	var out output
	w := world{
		process: &app.Process{
			Home: home, Dir: home, Version: "test", Now: time.Now, PolicyFile: file,
			Environ: []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=" + secret, "HOME=" + home, "PATH=" + os.Getenv("PATH")},
		},
		stdin: nothing, stdout: nothing, stderr: nothing, out: &out, people: &out,
	}
	w.process.Say = func(line string) { _ = w.tell(line) }
	ctx, cancel := context.WithTimeout(t.Context(), stalled)
	defer cancel()
	status = execute(ctx, args, w)
	if err := w.process.Close(); err != nil {
		t.Error(err)
	}
	return strings.ReplaceAll(out.String(), "\n", " "), status
}

// A policy that does not count ends every start before anything is sent or run, and says why.
func TestEveryFrontRefusesABrokenPolicy(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(path, []byte(`{"tool": []}`), 0o600); err != nil {
		t.Fatal(err)
	}
	fronts := [][]string{
		{"-p", "hi"},
		{"-p", "hi", "--output-format", "json"},
		{"-p", "hi", "--input-format", "stream-json", "--output-format", "stream-json"},
		{"hi"},
		{"-c"},
		{"demo", "-p", "hi"},
		{"acp"},
		{"review"},
		{"init", "-p"},
		{"sandbox", "echo", "hi"},
		{"models"},
		{"login"},
		{"trust"},
		{"notes"},
		{"settings"},
		{"mcp", "list"},
		{"mcp", "test", "x"},
		{"policy"},
		{"policy", "test", "mode=full-auto"},
		{"policy", "test", "read_file(a)"},
		{"doctor"},
	}
	files := map[string]policy.File{"line 1: unknown member": policy.OwnedBy(path, os.Getuid())}
	if need.Unix {
		files["it belongs to user"] = policy.OwnedBy(path, os.Getuid()+1)
	}
	for want, file := range files {
		for _, args := range fronts {
			said, status := underPolicy(t, file, args...)
			wanted := exitUsage
			if args[0] == "doctor" {
				wanted = exitFailed
			}
			if status != wanted || !strings.Contains(said, want) || !strings.Contains(said, "its administrator has to correct it") {
				t.Errorf("agent %s: status %d: %s", strings.Join(args, " "), status, said)
			}
		}
	}
}
