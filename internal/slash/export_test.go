package slash_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

func noDiff(context.Context) (string, error) { return "\n", nil }

func TestExport(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	elsewhere := filepath.Join(t.TempDir(), "my talk.md")
	for line, path := range map[string]string{
		"/export":                     filepath.Join(w.deps.Workspace, "conversation-20261121-123000.md"),
		"/export talk.md":             filepath.Join(w.deps.Workspace, "talk.md"),
		"/export '" + elsewhere + "'": elsewhere,
	} {
		if got := text(w.run(t, line)); got != "written to "+path {
			t.Errorf("%s: %q", line, got)
		}
		if data, err := os.ReadFile(path); string(data) != "# Conversation\n" {
			t.Errorf("%s: file holds %q (%v)", line, data, err)
		}
	}
	w.run(t, "/export talk.json")
	if data, err := os.ReadFile(filepath.Join(w.deps.Workspace, "talk.json")); string(data) != "{}\n" {
		t.Errorf("the document is %q (%v)", data, err)
	}
	if err := os.WriteFile(elsewhere, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.refused(t, "/export '"+elsewhere+"'", "already exists")
	if data, _ := os.ReadFile(elsewhere); string(data) != "mine" {
		t.Errorf("the file became %q", data)
	}
	w.refused(t, "/export no/such/folder/x.md", "can't write the conversation to")
}
