package atcmd

import (
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/google/go-cmp/cmp"
)

// listed is a workspace with exactly these names.
type listed []string

func (l listed) exists(path string) bool { return slices.Contains(l, path) }

// isResource reports whether a name is an address of the server docs.
func (listed) isResource(name string) bool { return strings.HasPrefix(name, "docs:") && len(name) > 5 }

func (l listed) matches(pattern string) bool {
	return slices.ContainsFunc(l, func(name string) bool {
		ok, err := doublestar.Match(pattern, name)
		return ok && err == nil
	})
}

func TestParse(t *testing.T) {
	t.Parallel()
	known := listed{"a.go", "b.go", "a,b.go", "end.", "src/", "src", "src/x.go", "src/y.go", "with space.md", `quo"te`, "[id].tsx", "主.go", "Makefile"}
	for _, test := range []struct {
		name, text string
		want       []string // paths; a "?" precedes each name without a file
	}{
		{"one", "look at @a.go", []string{"a.go"}},
		{"alone", "@a.go", []string{"a.go"}},
		{"two and a newline", "@a.go\n@b.go", []string{"a.go", "b.go"}},
		{"sentence end", "Is it @a.go? Or @b.go. Look: @a.go!", []string{"a.go", "b.go", "a.go"}},
		{"ellipsis", "@a.go... and @b.go…", []string{"a.go", "b.go"}},
		{"a file that ends in a dot", "see @end.", []string{"end."}},
		{"a file that ends in a dot, at the end of a sentence", "see @end..", []string{"end."}},
		{"brackets", "(@a.go) [@b.go] <@a.go> {@b.go}", []string{"a.go", "b.go", "a.go", "b.go"}},
		{"markdown", "**@a.go** and `@b.go`", []string{"a.go"}},
		{"a span of code", "@a.go ``@b.go ` @a.go`` @b.go", []string{"a.go", "b.go"}},
		{"a backtick alone", "it`s @a.go\n`@b.go", []string{"a.go", "b.go"}},
		{"list without spaces", "@a.go,@b.go", []string{"a.go", "b.go"}},
		{"a comma in the name", "@a,b.go", []string{"a,b.go"}},
		{"possessive", "@a.go's end", []string{"a.go"}},
		{"line reference", "@a.go:12 @b.go#L3", []string{"a.go", "b.go"}},
		{"quoted", `@"with space.md", then`, []string{"with space.md"}},
		{"quote in quotes", `@"quo\"te"`, []string{`quo"te`}},
		{"unclosed quote", "@\"with\nspace.md\"", nil},
		{"escaped space", `@with\ space.md.`, []string{"with space.md"}},
		{"folder", "@src/ and @src", []string{"src/", "src"}},
		{"glob", "@src/*.go, please", []string{"src/*.go"}},
		{"glob of a whole folder is not the folder", "@src/*", []string{"src/*"}},
		{"deep glob", "@**/*.go", []string{"**/*.go"}},
		{"alternatives", "@{a,b}.go", []string{"{a,b}.go"}},
		{"a name with glob letters", "@[id].tsx", []string{"[id].tsx"}},
		{"between words of a spaceless script", "请看@a.go的内容", []string{"a.go"}},
		{"a name of a spaceless script", "@主.go", []string{"主.go"}},
		{"escaped", `\@a.go`, nil},
		{"address", "mail a@b.go or x.y+z@a.go", nil},
		{"package version", "go get example.org/m@a.go and left/@a.go", nil},
		{"no name", "@ and @. and @... and @, and @", nil},
		{"missing", "@no.go, @b.go", []string{"?no.go", "b.go"}},
		{"missing glob", "@*.rs.", []string{"?*.rs"}},
		{"a word", "@Override @param, @Makefile", []string{"?Override", "?param", "Makefile"}},
		{"a resource", "see @docs:memo://one?a=b, and (@docs:x:y.)", []string{"?docs:memo://one?a=b", "?docs:x:y"}},
		{"a word before a colon", "@docs: see", []string{"?docs"}},
		{"fenced code", "@a.go\n```java\n@Override @b.go\n```\n@b.go", []string{"a.go", "b.go"}},
		{"unclosed fence", "@a.go\n~~~\n@b.go\n```\n@b.go", []string{"a.go"}},
		{"a code span is no fence", "```@a.go``` @b.go", []string{"b.go"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, m := range parse(test.text, nil, known) {
				path := m.path
				if !m.found {
					path = "?" + path
				}
				got = append(got, path)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("parse(%q) (-want +got):\n%s", test.text, diff)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"@a", `@"a b`, `@"a\"b"`, "a@b \\@c", "```\n@a\n```", "@a,b.@c", `@a\ b`, "@\xff\xfe@", "@*?[{", "请@a的"} {
		f.Add(seed, "a")
	}
	f.Fuzz(func(t *testing.T, text, name string) {
		end := 0
		for _, m := range parse(text, nil, listed{name}) {
			if m.start < end || m.end <= m.start+1 || m.end > len(text) || text[m.start] != '@' {
				t.Fatalf("mention %+v after %d in a text of %d", m, end, len(text))
			}
			if m.path == "" || strings.ContainsAny(m.path, "\n") || len(m.path) > maxPath {
				t.Fatalf("mention of %q", m.path)
			}
			if m.found && m.path != name {
				if ok, err := doublestar.Match(m.path, name); !ok || err != nil {
					t.Fatalf("%q found, but there is only %q", m.path, name)
				}
			}
			end = m.end
		}
	})
}

// Parsing a pasted megabyte must not delay a message.
func TestParseIsLinear(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"@", "@ ", "@a ", `@"`, "@,", "```\n", "@a.", "x"} {
		calls := &countingNames{}
		parse(strings.Repeat(piece, 200_000/len(piece)), nil, calls)
		if calls.count > 600_000 {
			t.Errorf("%q: %d questions to the file system", piece, calls.count)
		}
	}
}

type countingNames struct{ count int }

func (c *countingNames) exists(string) bool     { c.count++; return false }
func (c *countingNames) isResource(string) bool { c.count++; return false }
func (c *countingNames) matches(string) bool    { c.count++; return false }
