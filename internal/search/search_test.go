package search

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// write creates files with the given contents and returns their paths in order.
func write(t testing.TB, contents map[string]string) []string {
	t.Helper()
	dir := t.TempDir()
	var files []string
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(contents[name]), 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	return files
}

// searchLines returns the matches of a pattern as NAME:LINE:COLUMN: TEXT.
func searchLines(t *testing.T, files []string, pattern string, limit int) []string {
	t.Helper()
	expression, err := Parse(pattern)
	if err != nil {
		t.Fatal(err)
	}
	matches, _, err := Files(t.Context(), expression, files, read, Query{Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{}
	for _, m := range matches {
		name := filepath.Base(m.File)
		if below := filepath.Base(filepath.Dir(m.File)); below == "sub" {
			name = "sub/" + name
		}
		lines = append(lines, fmt.Sprintf("%s:%d:%d: %s", name, m.Line, m.At, m.Text))
	}
	return lines
}

func TestSearchFindsLines(t *testing.T) {
	t.Parallel()
	files := write(t, map[string]string{
		"a.go":      "package a\n\nfunc Größe() {}\nfunc b() {}\n",
		"sub/b.go":  "x := \"a{b\"\nfunc c() {}",
		"dos.txt":   "first\r\nfunc d\r\n",
		"bin":       "func\x00e\n",
		"latin.txt": "func caf\xe9\n",
		"kelvin":    "\u212aelvin and \u017fecond\nkelvin\n",
	})
	for pattern, want := range map[string][]string{
		"func":            {"a.go:3:0: func Größe() {}", "a.go:4:0: func b() {}", "dos.txt:2:0: func d", "latin.txt:1:0: func caf\uFFFD", "sub/b.go:2:0: func c() {}"},
		"(?i)FUNC [A-Z]+": {"a.go:3:0: func Größe() {}", "a.go:4:0: func b() {}", "dos.txt:2:0: func d", "latin.txt:1:0: func caf\uFFFD", "sub/b.go:2:0: func c() {}"},
		`^func \w+\b`:     {"a.go:3:0: func Größe() {}", "a.go:4:0: func b() {}", "dos.txt:2:0: func d", "latin.txt:1:0: func caf\uFFFD", "sub/b.go:2:0: func c() {}"},
		`^func \w+\(`:     {"a.go:4:0: func b() {}", "sub/b.go:2:0: func c() {}"},
		`d$`:              {"dos.txt:2:5: func d", "kelvin:1:19: \u212aelvin and \u017fecond"},
		`a\{b`:            {`sub/b.go:1:6: x := "a{b"`},
		`a{b`:             {`sub/b.go:1:6: x := "a{b"`},
		`(?i)kelvin`:      {"kelvin:1:0: \u212aelvin and \u017fecond", "kelvin:2:0: kelvin"},
		`(?i)(second|x!)`: {"kelvin:1:13: \u212aelvin and \u017fecond"},
		`^$`:              {"a.go:2:0: "},
		`Gr..e`:           {"a.go:3:5: func Größe() {}"},
		"no such text":    {},
	} {
		if diff := cmp.Diff(want, searchLines(t, files, pattern, 100)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", pattern, diff)
		}
	}
}

func TestSearchEndsWithTheFirstMatches(t *testing.T) {
	t.Parallel()
	contents := map[string]string{}
	for i := range 700 {
		contents[fmt.Sprintf("%03d", i)] = "x\nx\nx\n"
	}
	files := write(t, contents)
	got := searchLines(t, files, "x", 4)
	if len(got) <= 4 || strings.Join(got[:4], " ") != "000:1:0: x 000:2:0: x 000:3:0: x 001:1:0: x" {
		t.Errorf("%d matches, %.4q", len(got), got)
	}
	if len(got) >= 700*3 {
		t.Errorf("searched on after %d matches", len(got))
	}
}

// The shortcuts of the search do not hide a match.
func TestShortcutsHideNoMatch(t *testing.T) {
	t.Parallel()
	pieces := rapid.SampledFrom([]string{"a", "b", "k", "S", "ab", "é", " ", "\t", "\n", "\n", "\r\n", "_", "7", "{", "("})
	parts := rapid.SampledFrom([]string{"a", "b", "k", "s", "ab", "é", ".", "a+", "[aS]", `(\d|_)`, "|", "b*", "(a|b)", "[^a]", `\w`, `\d`, `\s`, `\b`, `\B`, "(?i)", "^", "$", "a{2}", "(?:ab)+", `\{`, "k?"})
	rapid.Check(t, func(rt *rapid.T) {
		var content string
		for _, piece := range rapid.SliceOfN(pieces, 0, 40).Draw(rt, "content") {
			content += piece
		}
		pattern := strings.Join(rapid.SliceOfN(parts, 1, 5).Draw(rt, "pattern"), "")
		expression, err := Parse(pattern)
		if err != nil {
			rt.Skip("not a pattern")
		}
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		file := filepath.Join(dir, "f")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			rt.Fatal(err)
		}
		want := plainSearch(expression, file, content)
		got, _, err := Files(context.Background(), expression, []string{file}, read, Query{Limit: 1000})
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("%q in %q (-want +got):\n%s", pattern, content, diff)
		}
	})
}

// plainSearch searches without any shortcut.
func plainSearch(expression *Expression, file, content string) []Match {
	var matches []Match
	number := 0
	for line := range strings.Lines(content) {
		number++
		text := strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if at := expression.pattern.FindStringIndex(text); at != nil {
			matches = append(matches, Match{File: file, Line: number, Text: strings.ToValidUTF8(text, "\uFFFD"), Foreign: !utf8.ValidString(text), At: at[0]})
		}
	}
	return matches
}

// BenchmarkSearch searches 5,000 files with 50 MB in total, with and without the required literals.
func BenchmarkSearch(b *testing.B) {
	content := strings.Repeat("func (s *server) handle(request *http.Request) error {\n\treturn nil\n}\n\n", 140)
	contents := map[string]string{}
	for i := range 5000 {
		contents[fmt.Sprintf("pkg%02d/file%04d.go", i%50, i)] = content
	}
	contents["pkg25/needle.go"] = content + "// the needle\n"
	files := write(b, contents)
	for name, pattern := range map[string]string{
		"literal": "the needle", "several": "the needle|no such text", "fold": "(?i)THE NEEDLE", "none": `^[/]{2}\s[a-t]{3}\s[a-z]{6}$`,
	} {
		expression, err := Parse(pattern)
		if err != nil {
			b.Fatal(err)
		}
		for way, expression := range map[string]*Expression{"direct": expression, "plain": {pattern: expression.pattern}} {
			b.Run(name+"/"+way, func(b *testing.B) {
				for b.Loop() {
					if matches, _, err := Files(b.Context(), expression, files, read, Query{Limit: 100}); err != nil || len(matches) != 1 {
						b.Fatal(len(matches), err)
					}
				}
			})
		}
	}
}

// read reads a file of any size.
func read(path string, _ []byte) ([]byte, error) { return os.ReadFile(path) }
