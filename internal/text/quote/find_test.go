package quote

import (
	"strings"
	"testing"
)

// A quote that differs from the file only in blanks is found if it matches one position. The
// replacement gets the indentation and line ends of that position.
func TestFind(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text, old, new string
		exact                bool
		want                 string // the text after the replacement
		says                 string // the note, or a part of the error
	}{
		{"indentation", "x\n\tif a {\n\t\tb\n\t}\ny\n", "if a {\n\tb\n}\n", "if c {\n\tb\n}\n", false, "x\n\tif c {\n\t\tb\n\t}\ny\n", IndentationShifted},
		{"blanks at the end", "x\na  \nb\n", "a\nb\n", "c\n", false, "x\nc\n", BlanksIgnored},
		{"no line feed quoted", "x\n\ta\ny\n", "  a", "  b", false, "x\n\tb\ny\n", IndentationShifted},
		{"no line feed in the file", "x\n\ta", "a\n", "b\n", false, "x\n\tb", IndentationShifted},
		{"at the very end", "a\nb \n", "a\nb\n", "a\nc\n", false, "a\nc\n", BlanksIgnored},
		{"exactly", "x\n\ta\n", "  a\n", "b\n", true, "", "old_string was not found in f; nothing was written. The closest lines"},
		{"nowhere", "x\n", "quite another\n", "b\n", false, "", "No lines of the file are similar"},
		{"at two places", "\ta\nb\n\ta\n", "  a\n", "c\n", false, "", "Text that differs only in whitespace is at lines 1, 3:"},
		{"with line numbers", "a\nb\n", "1|a\n2|b\n", "c\n", false, "", "old_string contains line numbers"},
		{"escaped", "a\nb\n", `a\nb`, "c", false, "", "old_string is escaped once too often"},
		{"made already", "x\nfresh text\n", "other text\n", "fresh text\n", false, "", "new_string is already in the file, at line 2"},
		{"a little of it is there", "x\nif\n", "a much longer quote\n", "if\n", false, "", "No lines of the file"},
	} {
		splice, note, err := Find("f", tc.text, tc.old, tc.new, tc.exact)
		if err != nil {
			note = err.Error()
		}
		got := ""
		if err == nil {
			got = tc.text[:splice.Start] + splice.Text + tc.text[splice.End:]
		}
		if got != tc.want || !strings.Contains(note, tc.says) {
			t.Errorf("%s: %q, %q", tc.name, got, note)
		}
	}
}
