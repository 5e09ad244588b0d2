package style

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

func TestReveal(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, give, want string
		hidden           int
	}{
		{"plain text", "go test ./...\nls", "go test ./...\nls", 0},
		{"letters of other scripts", "cat Käse 日本 ئ", "cat Käse 日本 ئ", 0},
		{"a carriage return", "touch X #\rgo build", "touch X #␍go build", 1},
		{"a title", "true \x1b]0;x; touch X #\x07", "true ␛]0;x; touch X #␇", 2},
		{"a title over lines", "echo #\x1b]0;\ntouch X #\x07", "echo #␛]0;\ntouch X #␇", 2},
		{"a device control string", "true \x1bPx; touch X #\x1b\\", "true ␛Px; touch X #␛\\", 2},
		{"an application command", "true \x1b_x; touch X #\x1b\\", "true ␛_x; touch X #␛\\", 2},
		{"C1 controls", "a\u009b31mb\u009dc", "a<U+009B>31mb<U+009D>c", 2},
		{"backspace and delete", "a\x08\x7f", "a␈␡", 2},
		{"bidi", "\u202egnol\u2066", "<U+202E>gnol<U+2066>", 2},
		{"zero width", "a\u200bb\u200e\u061c\u00ad\ufeff", "a<U+200B>b<U+200E><U+061C><U+00AD><U+FEFF>", 5},
		{"fillers", "\u3164\u115f\uffa0\u2800", "<U+3164><U+115F><U+FFA0><U+2800>", 4},
		{"blank and wide", "\U00016fe4\U0001d159\U00013441", "<U+16FE4><U+1D159><U+13441>", 3},
		{"a variation selector", "⚠\ufe0f", "⚠<U+FE0F>", 1},
		{"tags", "a\U000e0041", "a<U+E0041>", 1},
		{"spaces that are not the ordinary one", "rm\u00a0-r\u2003x", "rm<U+00A0>-r<U+2003>x", 2},
		{"private use and unassigned", "\ue000\U000fffff", "<U+E000><U+FFFFF>", 2},
		{"bytes that are no UTF-8", "a\x9bb\xff", "a<0x9B>b<0xFF>", 2},
		{"tabs", "a\tb", "a   b", 0},
		{"a tail far to the right", "ls" + strings.Repeat(" ", 4000) + "; rm -r x", "ls<4000 spaces>; rm -r x", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := Reveal(tt.give)
			if got.Text != tt.want || got.Hidden != tt.hidden {
				t.Errorf("Reveal(%q) = %q with %d hidden, want %q with %d", tt.give, got.Text, got.Hidden, tt.want, tt.hidden)
			}
		})
	}
}

// For any text, Reveal returns printable text, the number of characters that were not printable,
// and a mark for each of them.
func TestRevealHidesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("ab \t\n\r\x1b\x07\u202e\u200b\ufe0f日")))).Draw(t, "text")
		got := Reveal(text)
		for _, r := range got.Text {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Fatalf("Reveal(%q) = %q", text, got.Text)
			}
		}
		if ansi.Strip(got.Text) != got.Text {
			t.Fatalf("Reveal(%q) = %q holds a sequence", text, got.Text)
		}
		if got.Hidden > len(got.Marks) {
			t.Fatalf("Reveal(%q): %d hidden, marks %v", text, got.Hidden, got.Marks)
		}
		if again := Reveal(got.Text); again.Text != got.Text || again.Hidden != 0 {
			t.Fatalf("revealing twice changes %q to %q", got.Text, again.Text)
		}
	})
}
