package style

import "testing"

// FuzzClean checks that only plain text reaches the terminal.
func FuzzClean(f *testing.F) {
	for _, seed := range []string{"a\tb\r\nc", "\x1b[31mred", "10%\r20%", "\u202eabc", "\xff\x80", "日本\x9b31m", "\x1b]title ᜑ", "a\U000E0041b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range Clean(s) {
			if r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || IsHiding(r) {
				t.Fatalf("clean(%q) = %q", s, Clean(s))
			}
		}
		if once := Clean(s); Clean(once) != once {
			t.Fatalf("cleaning %q twice changes it: %q, %q", s, once, Clean(once))
		}
	})
}

// A zero-width space separates words in a script without spaces. Anywhere else a mark
// replaces it.
func TestCleanZeroWidthSpace(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]string{
		"rm\u200b -rf": "rm� -rf", "\u200b": "�", "a\u200b\u200bb": "a��b",
		"ខ្ញុំ\u200bទៅ": "ខ្ញុំទៅ", "ไป\u200b ": "ไป ",
		"👩\u200d🚀 ⚠\ufe0f می\u200cخواهم": "👩\u200d🚀 ⚠\ufe0f می\u200cخواهم",
	} {
		if got := CleanProse(give); got != want {
			t.Errorf("%q: %q, want %q", give, got, want)
		}
	}
}
