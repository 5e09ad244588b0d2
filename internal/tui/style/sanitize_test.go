package style

import (
	"strings"
	"testing"
)

// Sequences that set styles are kept, and all other control characters become visible.
func TestSeal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ give, styled, plain string }{
		"styles":           {"\x1b[1;38;5;3mbold\x1b[m", "\x1b[1;38;5;3mbold\x1b[m", "␛[1;38;5;3mbold␛[m"},
		"clipboard":        {"a\x1b]52;c;UFdO\x07", "a␛]52;c;UFdO␇", "a␛]52;c;UFdO␇"},
		"moves":            {"\x1b[2J\x1b[1A\r\n\tx", "␛[2J␛[1A␍␊␉x", "␛[2J␛[1A␍␊␉x"},
		"C1":               {"\u009b2J\x9b2J", "<U+009B>2J<0x9B>2J", "<U+009B>2J<0x9B>2J"},
		"direction":        {"a\u202eb\u2066", "a<U+202E>b<U+2066>", "a<U+202E>b<U+2066>"},
		"blank and wide":   {"\U00016fe4\U0001d159\u2800\u3164", "<U+16FE4><U+1D159><U+2800><U+3164>", "<U+16FE4><U+1D159><U+2800><U+3164>"},
		"zero-width space": {"rm\u200b -rf", "rm<U+200B> -rf", "rm<U+200B> -rf"},
		"broken sequence":  {"\x1b[1;", "␛[1;", "␛[1;"},
		"prose":            {"é 日本 👩‍🚀 می\u200cخواهم ⚠️ a\u00adb", "é 日本 👩‍🚀 می\u200cخواهم ⚠️ a\u00adb", "é 日本 👩‍🚀 می\u200cخواهم ⚠️ a\u00adb"},
	} {
		if got := Seal(c.give); got != c.styled {
			t.Errorf("%s: with styles %q, want %q", name, got, c.styled)
		}
		if got := SealPlain(c.give); got != c.plain {
			t.Errorf("%s: without styles %q, want %q", name, got, c.plain)
		}
	}
}

func FuzzSeal(f *testing.F) {
	f.Add("a\x1b[31mb\x1b]0;x\x07\u202e\x9b")
	f.Fuzz(func(t *testing.T, s string) {
		plain := SealPlain(s)
		for _, r := range plain {
			if r < ' ' || r >= 0x7f && r < 0xa0 || IsHiding(r) {
				t.Fatalf("%q holds %U", plain, r)
			}
		}
		styled := Seal(s)
		if again := Seal(styled); again != styled {
			t.Fatalf("%q, again %q", styled, again)
		}
		for _, part := range strings.Split(styled, "\x1b")[1:] {
			if styleLength("\x1b"+part) == 0 {
				t.Fatalf("%q holds a sequence that sets no style", styled)
			}
		}
	})
}
