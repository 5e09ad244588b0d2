package style

import "testing"

// Nothing from outside reaches the terminal but text.
func FuzzClean(f *testing.F) {
	for _, seed := range []string{"a\tb\r\nc", "\x1b[31mred", "10%\r20%", "\u202eabc", "\xff\x80", "日本\x9b31m", "\x1b]title ᜑ", "a\U000E0041b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range Clean(s) {
			if r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || Hides(r) {
				t.Fatalf("clean(%q) = %q", s, Clean(s))
			}
		}
		if once := Clean(s); Clean(once) != once {
			t.Fatalf("cleaning %q twice changes it: %q, %q", s, once, Clean(once))
		}
	})
}
