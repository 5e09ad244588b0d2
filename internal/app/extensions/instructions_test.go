package extensions

import (
	"os"
	"path/filepath"
	"testing"

	"agent/internal/history"
	"agent/internal/workspace"
)

// Instructions that changed since the model received them are sent once. Unchanged ones are not
// sent again.
func TestInstructionsThatChange(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(".git/HEAD", "")
	write("AGENTS.md", "be good")
	write("pkg/AGENTS.md", "be careful")
	write("same/AGENTS.md", "be good")
	place, err := workspace.New(root, "")
	if err != nil {
		t.Fatal(err)
	}
	c := &Extensions{Config: in(place)}
	c.ChooseInstructions()
	if blocks := c.changes(); len(blocks) != 0 {
		t.Errorf("nothing changed, and %d blocks arrive", len(blocks))
	}
	write("AGENTS.md", "be even better")
	blocks := c.changes()
	if len(blocks) != 1 || blocks[0].(*history.Text).Key != "instructions:"+filepath.Join(place.Root(), "AGENTS.md") {
		t.Fatalf("arrived: %v", blocks)
	}
	if blocks := c.changes(); len(blocks) != 0 {
		t.Error("a change arrives twice")
	}
	for file, want := range map[string]int{"pkg/a.go": 1, "a.go": 0, "/etc/passwd": 0, "../x": 0, "no/such/a": 0} {
		if got := c.NestedInstructions(file); len(got) != want {
			t.Errorf("below %s: %v", file, got)
		}
	}
}
