package manifest_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"agent/internal/extend/setup/manifest"
)

// Every text is on one line as written, and no two commands look the same.
func TestLines(t *testing.T) {
	t.Parallel()
	command := func(words ...string) (l manifest.List) {
		for n, word := range words {
			name := manifest.Argument
			if n == 0 {
				name = manifest.Command
			}
			l = append(l, manifest.Part{Name: name, Text: word, Role: manifest.RoleWord})
		}
		return l
	}
	for _, tt := range []struct {
		list manifest.List
		want string
	}{
		{command("sh", "-c", "touch a"), "sh -c 'touch a'"},
		{command("sh", "it's"), `sh "it's"`},
		{command("sh", `"it's"`), `sh «"it's"»`},
		{command("sh", `«"it's"»`), `sh [8 characters: «"it's"»]`},
		{command("sh", "", "a\tb"), "sh '' 'a\tb'"},
		{command("a b", "c"), "'a b' c"},
		{manifest.List{{Name: manifest.Command, Text: "cd a && ./b", Role: manifest.RoleLine}}, "cd a && ./b"},
		{manifest.List{{Name: "env", Key: "A", Text: "1", Role: manifest.RoleValue}, {Name: "env", Key: "B", Role: manifest.RoleValue}}, "env A=1|env B="},
		{manifest.List{{Name: "header", Key: "X", Text: "1"}, {Name: "header", Key: "Y", Text: "2"}}, "header X: 1|header Y: 2"},
		{manifest.List{{Name: manifest.Rule, Text: "Edit"}, {Name: manifest.Rule, Text: "Read", Note: "no effect here"}, {Name: "outside the sandbox"}}, "allow: Edit, Read (no effect here)|outside the sandbox"},
		{manifest.List{{Name: "runs", Text: "a", Role: manifest.RoleLine}, {Name: "runs", Text: "b", Role: manifest.RoleLine}}, "runs: a|runs: b"},
	} {
		if got := strings.Join(tt.list.Describe(), "|"); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
}

// Each part in a comparison has a separate key, so that no part hides another.
func TestLeaves(t *testing.T) {
	t.Parallel()
	l := manifest.List{{Name: manifest.Command, Text: "a"}, {Name: manifest.Argument, Text: "b"}, {Name: manifest.Argument, Text: "c"}, {Name: "env", Key: "X", Text: "d"}, {Name: "runs", Text: "e"}, {Name: "runs", Text: "f", Note: "n"}}
	var got []string
	leaves := l.TextsByPlace()
	for _, key := range slices.Sorted(maps.Keys(leaves)) {
		got = append(got, key+"="+leaves[key])
	}
	if want := "argument 1=b|argument 2=c|command=a|env X=d|runs=e|runs 2=f (n)"; strings.Join(got, "|") != want {
		t.Errorf("%s, want %s", strings.Join(got, "|"), want)
	}
	if got := l.Texts("runs"); !slices.Equal(got, []string{"e", "f"}) {
		t.Errorf("%q", got)
	}
}
