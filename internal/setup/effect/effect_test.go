package effect_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"agent/internal/setup/effect"
)

// Every text is on a line as it is written, and no two commands look the same.
func TestLines(t *testing.T) {
	t.Parallel()
	command := func(words ...string) (l effect.List) {
		for n, word := range words {
			name := effect.Argument
			if n == 0 {
				name = effect.Command
			}
			l = append(l, effect.Part{Name: name, Text: word, Role: effect.Word})
		}
		return l
	}
	for _, tt := range []struct {
		list effect.List
		want string
	}{
		{command("sh", "-c", "touch a"), "sh -c 'touch a'"},
		{command("sh", "it's"), `sh "it's"`},
		{command("sh", `"it's"`), `sh «"it's"»`},
		{command("sh", `«"it's"»`), `sh [8 characters: «"it's"»]`},
		{command("sh", "", "a\tb"), "sh '' 'a\tb'"},
		{command("a b", "c"), "'a b' c"},
		{effect.List{{Name: effect.Command, Text: "cd a && ./b", Role: effect.Line}}, "cd a && ./b"},
		{effect.List{{Name: "env", Key: "A", Text: "1", Role: effect.Value}, {Name: "env", Key: "B", Role: effect.Value}}, "env A=1|env B="},
		{effect.List{{Name: "header", Key: "X", Text: "1"}, {Name: "header", Key: "Y", Text: "2"}}, "header X: 1|header Y: 2"},
		{effect.List{{Name: effect.Rule, Text: "Edit"}, {Name: effect.Rule, Text: "Read", Note: "no effect here"}, {Name: "outside the sandbox"}}, "allow: Edit, Read (no effect here)|outside the sandbox"},
		{effect.List{{Name: "runs", Text: "a", Role: effect.Line}, {Name: "runs", Text: "b", Role: effect.Line}}, "runs: a|runs: b"},
	} {
		if got := strings.Join(tt.list.Lines(), "|"); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
}

// Parts of a comparison have places of their own, so that none covers another.
func TestLeaves(t *testing.T) {
	t.Parallel()
	l := effect.List{{Name: effect.Command, Text: "a"}, {Name: effect.Argument, Text: "b"}, {Name: effect.Argument, Text: "c"}, {Name: "env", Key: "X", Text: "d"}, {Name: "runs", Text: "e"}, {Name: "runs", Text: "f", Note: "n"}}
	var got []string
	leaves := l.Leaves()
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
