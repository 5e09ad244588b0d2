package protect

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is asked for every file of a search says the same as the lists gone through one
// by one.
func TestMayHoldKeysAgreesWithTheLists(t *testing.T) {
	t.Parallel()
	var parts []string
	for _, group := range secretNames {
		for _, name := range group.names {
			if strings.Count(name, "*") > 1 || strings.ContainsAny(name, `?[\`) {
				t.Errorf("%q: matches knows words and one star", name)
			}
			parts = append(parts, strings.Split(strings.ReplaceAll(name, "*", "x"), "/")...)
		}
	}
	parts = append(parts, "main.go", "src", ".config", "gh", ".ENV", "a.PEM", ".ssh ", "x", "")
	rapid.Check(t, func(t *rapid.T) {
		rel := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 4).Draw(t, "parts"), "/")
		want := slices.ContainsFunc(secretNames, func(g group) bool {
			return slices.ContainsFunc(g.names, func(name string) bool { return has(rel, name) })
		})
		if got := mayHoldKeys(rel); want && !got {
			t.Errorf("%q: %v", rel, got)
		}
	})
}

// A search of a large repository asks for each of its files: that makes no garbage.
func TestMostFilesAreToldFreeWithoutGarbage(t *testing.T) {
	places := Places{Home: "/home/u", Own: []string{"/home/u/.config/agent"}}
	if n := testing.AllocsPerRun(100, func() {
		if places.Read("/home/u/ws/internal/search.go", "internal/search.go").Care != Free {
			t.Error("not free")
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
