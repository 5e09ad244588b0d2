package protect

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The fast checks, for every file of a search and every word of a command line, agree with a linear
// scan of the lists.
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
			if got, _ := entryIn(rel, look == "keys"); got.name != want {
				t.Errorf("%s, %q: %q, want %q", look, rel, got.name, want)
			}
		})
	}
}

// The fast check for alternative spellings of a file name detects every name that folding changes.
func TestFold(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"a/b.c": "a/b.c", "~a": "~a", "A": "a", "Z": "z", "@[": "@[", "a\x7fb": "ab", "a\x01b": "ab", "a\ufe0fb": "ab", "a:b": "a", "a.": "a", "a./b": "a/b", "a b": "a b", "a ": "a", "é": "é", "É": "é", ".../b": ".../b", "a.pub/...": "a.pub/...", "a.pub/ ": "a.pub/ ",
	} {
		if got := fold(file); got != want {
			t.Errorf("%q: %q, want %q", file, got, want)
		}
	}
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{{"a*a", "a", false}, {"a*a", "aa", true}, {"a*a", "aba", true}, {"a*", "a", true}, {"*a", "ab", false}, {"a", "ab", false}} {
		if got := matches(c.pattern, c.name); got != c.want {
			t.Errorf("%q matches %q: %t", c.pattern, c.name, got)
		}
	}
}

// ClassifyByName classifies a path by its end. Only node_modules counts as a build folder.
func TestEnds(t *testing.T) {
	t.Parallel()
	for file, want := range map[string][2]bool{
		"a/.bashrc": {true, false}, "a/.env": {false, true}, "a/.env.example": {false, false}, "a/id_rsa.pub": {false, false}, "a/node_modules": {false, false}, "a/.netrc": {true, true},
		"a/.ssh/x": {false, false}, "a/main.go": {false, false},
	} {
		if later, keys := ClassifyByName(file); later != want[0] || keys != want[1] {
			t.Errorf("%s: runs later %t, holds keys %t", file, later, keys)
		}
	}
	if !IsBuildFolder("node_modules") || !IsBuildFolder("Node_Modules") || IsBuildFolder(".vscode") || IsBuildFolder("src") {
		t.Error("node_modules alone is built")
	}
}

// Some programs report a folder that they could not open with a trailing slash.
func TestAFolderWithASlashBehindIt(t *testing.T) {
	t.Parallel()
	if _, keys := ClassifyByName("/home/u/.ssh/"); !keys {
		t.Error("it holds no keys")
	}
}

// has reports whether a path contains the components of name in order and without gaps. The last
// component of name may be a pattern.
func has(file, name string) bool {
	parts, want := strings.Split(fold(file), "/"), strings.Split(fold(name), "/")
	for at := 0; at+len(want) <= len(parts); at++ {
		if slices.EqualFunc(want, parts[at:at+len(want)], matches) {
			return true
		}
	}
	return false
}

// A search of a large repository checks each of its files, so the check must not allocate memory.
func TestUnprotectedFilesAllocateNothing(t *testing.T) {
	places := ProtectionRules{Home: "/home/u", Own: []string{"/home/u/.config/agent"}}
	if n := testing.AllocsPerRun(100, func() {
		if places.Read("/home/u/ws/internal/search.go", "internal/search.go").Protection != Unprotected {
			t.Error("not free")
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
