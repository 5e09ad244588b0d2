package outline

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// A long heading is cut after a word, and the number of its omitted names is added.
func TestLongHeadings(t *testing.T) {
	t.Parallel()
	names := func(form, separator string) string {
		var all []string
		for i := range 40 {
			all = append(all, fmt.Sprintf(form, i))
		}
		return strings.Join(all, separator)
	}
	text := "package p\n\nconst (\n" + names("\tname%02d = 1", "\n") + "\n)\n\n" +
		"type I interface {\n" + names("\tMethod%02d(a,\n\t\tb int) error", "\n") + "\n}\n\n" +
		"func (x *T) Long(" + names("first%02d string", ", ") + ") error { return nil }\n\n" +
		"func Short(a int) {}\n\nfunc " + strings.Repeat("é", 300) + "() {}\n"
	found, err := Read(t.Context(), "a.go", text)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSuffix(found.String(), "\n"), "\n")
	want := []string{
		"const name00, name01, ", "type I interface { Method00(a, b int) error; ", "func (x *T) Long(first00 string, ", "func Short(a int)", "func é",
	}
	ends := []string{", … 26 more", "; … 36 more }", " string, …", "(a int)", "é …"}
	for i, line := range got {
		_, heading, _ := strings.Cut(line, "|")
		if !strings.HasPrefix(heading, want[i]) || !strings.HasSuffix(heading, ends[i]) || utf8.RuneCountInString(heading) > 160 {
			t.Errorf("%d characters: %s", utf8.RuneCountInString(heading), heading)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d lines", len(got))
	}
}

func FuzzOutline(f *testing.F) {
	f.Add("a.py", "def f(:\n\nclass\n  def")
	f.Add("a.ts", "class A { f() { ` ${ } ` } ")
	f.Add("a.rs", "impl<'a> X\r{ fn \r\n f() }")
	f.Add("a.c", "int f(\n#define X \\")
	f.Add("a.go", "package p; func (x")
	f.Fuzz(func(t *testing.T, name, text string) {
		text = strings.ToValidUTF8(text, "?")
		found, err := Read(t.Context(), name, text)
		if err != nil {
			return
		}
		for _, d := range found.Declarations {
			if d.Start < 0 || d.Head < d.Start || d.End < d.Head || d.End > len(text) {
				t.Fatalf("%+v in a text of %d bytes", d, len(text))
			}
		}
		_ = found.String()
	})
}
