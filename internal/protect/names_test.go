package protect

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is asked for every file of a search, and for every word of a command line, says the
// same as the lists gone through one by one.
func TestQuickLooksAgreeWithTheLists(t *testing.T) {
	t.Parallel()
	for look, groups := range map[string][]group{"keys": secretNames, "runs later": runLater} {
		var parts []string
		for _, group := range groups {
			for _, name := range slices.Concat(group.names, group.builders) {
				if strings.Count(name, "*") > 1 || strings.ContainsAny(name, `?[\`) {
					t.Errorf("%q: matches knows words and one star", name)
				}
				parts = append(parts, strings.Split(strings.ReplaceAll(name, "*", "x"), "/")...)
			}
		}
		quick := map[string]func(string) bool{"keys": mayHoldKeys, "runs later": mayRunLater}[look]
		parts = append(parts, "main.go", "src", ".config", "gh", ".ENV", "a.PEM", ".ssh ", "x", "")
		rapid.Check(t, func(t *rapid.T) {
			rel := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 4).Draw(t, "parts"), "/")
			want := slices.ContainsFunc(groups, func(g group) bool {
				return slices.ContainsFunc(slices.Concat(g.names, g.builders), func(name string) bool { return has(rel, name) })
			})
			if got := quick(rel); want && !got {
				t.Errorf("%s, %q: %v", look, rel, got)
			}
		})
	}
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
