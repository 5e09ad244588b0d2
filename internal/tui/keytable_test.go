package tui

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tui/edit"
	"agent/internal/tui/keymap"
)

// One table says what the keys do: every action of it is done by the screen or the
// editor, every action of theirs is in it, and the guide lists what the table has for
// it, in its order and its words.
func TestKeysAreDeclaredOnce(t *testing.T) {
	t.Parallel()
	does := map[string]bool{}
	for name := range actions {
		does[name] = true
	}
	for _, a := range edit.Actions() {
		does[a.Name] = true
	}
	var want []string
	for _, row := range keymap.Default().Rows() {
		if row.Guide != "" {
			want = append(want, "| "+strings.Join(row.Labels(), ", ")+" | "+row.Guide+" |")
		}
		for _, a := range row.Actions {
			if !does[a.Name] {
				t.Errorf("nothing does %s, or it is there twice", a.Name)
			}
			delete(does, a.Name)
		}
	}
	for name := range does {
		t.Errorf("the table of keys lacks %s", name)
	}
	guide, err := os.ReadFile("../../docs/guide.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(guide), "| key | does |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	if !found {
		t.Fatal("the guide has no table of keys")
	}
	if diff := cmp.Diff(want, strings.Split(table, "\n")); diff != "" {
		t.Errorf("the keys in the guide (-want +got):\n%s", diff)
	}
}
