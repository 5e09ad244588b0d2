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
		parts = append(parts, "main.go", "src", ".config", "gh", ".ENV", "a.PEM", ".ssh ", "x", "")
		rapid.Check(t, func(t *rapid.T) {
			rel := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 4).Draw(t, "parts"), "/")
			want := ""
			for _, g := range groups {
				for _, name := range slices.Concat(g.names, g.builders) {
					if want == "" && has(rel, name) {
						want = name
					}
				}
			}
			if got, _ := within(rel, look == "keys"); got.name != want {
				t.Errorf("%s, %q: %q, want %q", look, rel, got.name, want)
			}
		})
	}
}

// Programs write a folder that they could not open with a slash behind it.
func TestAFolderWithASlashBehindIt(t *testing.T) {
	t.Parallel()
	if _, keys := Ends("/home/u/.ssh/"); !keys {
		t.Error("it holds no keys")
	}
}

// has reports whether the components of name, the last of which may be a pattern, are
// among those of a path, one behind the other.
func has(file, name string) bool {
	parts, want := strings.Split(fold(file), "/"), strings.Split(fold(name), "/")
	for at := 0; at+len(want) <= len(parts); at++ {
		if slices.EqualFunc(want, parts[at:at+len(want)], matches) {
			return true
		}
	}
	return false
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
