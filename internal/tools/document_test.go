package tools

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// rawText draws files with every kind of line end, with and without mark and final
// newline.
func rawText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		mark := rapid.SampledFrom([]string{"", byteOrderMark}).Draw(t, "mark")
		part := rapid.SampledFrom([]string{"a", "bb", "\n", "\n", "\r\n", "\r\n", "\r", "é", "\xff", "x y"})
		return mark + strings.Join(rapid.SliceOfN(part, 0, 20).Draw(t, "parts"), "")
	})
}

func TestDocumentKeepsWhatAnEditDoesNotTouch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw := rawText().Draw(t, "raw")
		d := parseDocument([]byte(raw))
		if got := string(d.with()); got != raw {
			t.Fatalf("no edit made %q of %q", got, raw)
		}
		if strings.Contains(d.text, "\r\n") && !strings.Contains(raw, "\r\r\n") || strings.HasPrefix(d.text, byteOrderMark) && strings.Count(raw, byteOrderMark) == 1 {
			t.Fatalf("the text is %q", d.text)
		}
		start := rapid.IntRange(0, len(d.text)).Draw(t, "start")
		end := rapid.IntRange(start, len(d.text)).Draw(t, "end")
		insert := rapid.SampledFrom([]string{"", "new", "two\nlines\n", "a\r\nb"}).Draw(t, "insert")
		got := string(d.with(splice{start, end, insert}))
		if text := parseDocument([]byte(got)).text; text != d.text[:start]+plainEnds(insert)+d.text[end:] &&
			!strings.Contains(d.text, "\r") {
			t.Fatalf("the edited text is %q", text)
		}
		if !strings.HasPrefix(got, raw[:d.onDisk(start)]) || !strings.HasSuffix(got, raw[d.onDisk(end):]) {
			t.Fatalf("around %d-%d of %q became %q", start, end, raw, got)
		}
	})
}

func TestDocumentAddsTheLineEndsOfMostLines(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"a\nb\n":           "x\n",
		"a\r\nb\r\n":       "x\r\n",
		"a\r\nb\r\nc\n":    "x\r\n",
		"a\r\nb\nc\n":      "x\n",
		"no end":           "x\n",
		byteOrderMark + "": "x\n",
	} {
		if got := parseDocument([]byte(raw)).withEnds("x\n"); got != want {
			t.Errorf("%q takes %q, want %q", raw, got, want)
		}
	}
}
