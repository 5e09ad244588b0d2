package screen

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/command"
)

// /keys reads the file of key bindings again and applies it. If the file has an error, the bindings
// do not change.
func TestKeysAreReadAgain(t *testing.T) {
	t.Parallel()
	keys := &boundKeys{path: filepath.Join(t.TempDir(), "keys.json")}
	stash := func(bound []command.KeyBinding) string {
		i := slices.IndexFunc(bound, func(b command.KeyBinding) bool { return b.Action == "stash" })
		return bound[i].Keys
	}
	for _, step := range []struct{ file, want, fault string }{
		{"", "Ctrl+S", ""},
		{`{"keys": {"stash": ["f2"]}}`, "F2", ""},
		{`{"keys": {"stash": ["f3"], "nonsense": []}}`, "F2", "keys.json:1: "},
		{`{"keys": {}}`, "Ctrl+S", ""},
	} {
		if step.file != "" {
			if err := os.WriteFile(keys.path, []byte(step.file), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		bound, faults := keys.read()
		if got := stash(bound); got != step.want || keys.inForce().Label("stash") != step.want {
			t.Errorf("%s: %q, want %q", step.file, got, step.want)
		}
		if said := strings.Join(faults, "\n"); (said == "") != (step.fault == "") || !strings.Contains(said, step.fault) {
			t.Errorf("%s: faults %q", step.file, said)
		}
	}
}
