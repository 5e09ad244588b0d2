package console

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"agent/internal/words"
)

// In whatever portions text is written, the terminal gets the same, and nothing that
// it obeys.
func TestCleaner(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"\x1b]52;c;eA==\x07", "\x1b[2J", "\u009b31m", "\u202e", "日本", "\r", "\n", "\x1bc", "\x1bP$q\x1b\\"}))
		text := strings.Join(rapid.SliceOf(piece).Draw(t, "text"), "")
		var out bytes.Buffer
		w := Cleaner(&out)
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			if wrote, err := w.Write([]byte(rest[:n])); wrote != n || err != nil {
				t.Fatal(wrote, err)
			}
			rest = rest[n:]
		}
		for _, r := range out.String() {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
				t.Fatalf("%q reached the terminal", out.String())
			}
		}
		// Emoji joined over a write are made visible in pieces; all else is equal.
		if want := words.Visible(text); !strings.ContainsAny(text, "\u200d\ufe0f") && out.String() != want {
			t.Fatalf("in pieces %q, at once %q", out.String(), want)
		}
	})
}
