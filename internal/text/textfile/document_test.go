package textfile

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// rawText draws files with every kind of line end, with and without mark and final
// newline.
func rawText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		mark := rapid.SampledFrom([]string{"", ByteOrderMark}).Draw(t, "mark")
		part := rapid.SampledFrom([]string{"a", "bb", "\n", "\n", "\r\n", "\r\n", "\r", "é", "\xff", "x y"})
		return mark + strings.Join(rapid.SliceOfN(part, 0, 20).Draw(t, "parts"), "")
	})
}

func TestDocumentKeepsWhatAnEditDoesNotTouch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw := rawText().Draw(t, "raw")
		d := Parse([]byte(raw))
		if got := string(d.With()); got != raw {
			t.Fatalf("no edit made %q of %q", got, raw)
		}
		if d.With(Splice{End: len(d.Text)}) == nil {
			t.Fatal("a file without text would be none")
		}
		if strings.Contains(d.Text, "\r\n") && !strings.Contains(raw, "\r\r\n") || strings.HasPrefix(d.Text, ByteOrderMark) && strings.Count(raw, ByteOrderMark) == 1 {
			t.Fatalf("the text is %q", d.Text)
		}
		start := rapid.IntRange(0, len(d.Text)).Draw(t, "start")
		end := rapid.IntRange(start, len(d.Text)).Draw(t, "end")
		insert := rapid.SampledFrom([]string{"", "new", "two\nlines\n", "a\r\nb"}).Draw(t, "insert")
		got := string(d.With(Splice{start, end, insert}))
		if text := Parse([]byte(got)).Text; text != d.Text[:start]+PlainEnds(insert)+d.Text[end:] &&
			!strings.Contains(d.Text, "\r") {
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
		ByteOrderMark + "": "x\n",
	} {
		if got := Parse([]byte(raw)).withEnds("x\n"); got != want {
			t.Errorf("%q takes %q, want %q", raw, got, want)
		}
	}
}
