package tui

import (
	"testing"

	"agent/internal/tui/edit"
	"agent/internal/tui/keymap"
)

// The table of keys is complete: the screen or the editor implements each of its actions, and it
// contains each of their actions. docs/reference/keys.md is generated from it.
func TestKeysAreDeclaredOnce(t *testing.T) {
	t.Parallel()
	does := map[string]bool{}
	for name := range actions {
		does[name] = true
	}
	for _, a := range edit.Actions() {
		does[a.Name] = true
	}
	for _, row := range keymap.Default().Rows() {
		for _, a := range row.Actions {
			if !does[a.Name] {
				t.Errorf("nothing does %s, or it appears twice", a.Name)
			}
			delete(does, a.Name)
		}
	}
	for name := range does {
		t.Errorf("the table of keys lacks %s", name)
	}
}
