package outline

import (
	"strings"
	"testing"
)

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
