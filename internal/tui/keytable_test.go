package tui

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// One table says what the keys do: no key is bound twice, and the guide lists what the
// table has for it, in its order and its words.
func TestKeysAreDeclaredOnce(t *testing.T) {
	t.Parallel()
	var want []string
	bound := map[string]bool{}
	for _, b := range bindings() {
		if b.guide != "" {
			want = append(want, "| "+b.Name+" | "+b.guide+" |")
		}
		for _, a := range b.acts {
			for _, name := range a.names {
				if bound[name] {
					t.Errorf("%s is bound twice", name)
				}
				bound[name] = true
			}
		}
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
