package textfile

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// rawText draws files with every kind of line end, with and without a byte order mark and a final
// newline.
func rawText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		mark := rapid.SampledFrom([]string{"", ByteOrderMark}).Draw(t, "mark")
		part := rapid.SampledFrom([]string{"a", "bb", "\n", "\n", "\r\n", "\r\n", "\r", "é", "\xff", "x y"})
		return mark + strings.Join(rapid.SliceOfN(part, 0, 20).Draw(t, "parts"), "")
	})
}

func TestDocumentKeepsUneditedBytes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw := rawText().Draw(t, "raw")
		d := Parse([]byte(raw))
		if got := string(d.ApplySplices()); got != raw {
			t.Fatalf("no edit made %q of %q", got, raw)
		}
		if d.ApplySplices(Splice{End: len(d.Text)}) == nil {
			t.Fatal("a file without text would be none")
		}
		if strings.Contains(d.Text, "\r\n") && !strings.Contains(raw, "\r\r\n") || strings.HasPrefix(d.Text, ByteOrderMark) && strings.Count(raw, ByteOrderMark) == 1 {
			t.Fatalf("the text is %q", d.Text)
		}
		start := rapid.IntRange(0, len(d.Text)).Draw(t, "start")
		end := rapid.IntRange(start, len(d.Text)).Draw(t, "end")
		insert := rapid.SampledFrom([]string{"", "new", "two\nlines\n", "a\r\nb"}).Draw(t, "insert")
		got := string(d.ApplySplices(Splice{start, end, insert}))
		if text := Parse([]byte(got)).Text; text != d.Text[:start]+NormalizeLineEnds(insert)+d.Text[end:] &&
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

// Lines are counted with or without a final line feed. Spans consist of whole lines.
func TestCountSpanAndForeign(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "\n": 1, "a": 1, "a\n": 1, "a\nb": 2} {
		if got := Parse([]byte(text)).LineCount(); got != want {
			t.Errorf("%q has %d lines, want %d", text, got, want)
		}
	}
	d := Parse([]byte("a\nbb\nccc\nd"))
	for _, tc := range []struct {
		first, last int
		want        string
	}{
		{1, 1, "a\n"}, {2, 3, "bb\nccc\n"}, {4, 4, "d"}, {1, 9, d.Text}, {5, 5, ""}, {2, 1, ""},
	} {
		if start, end := d.Span(tc.first, tc.last); d.Text[min(start, end):end] != tc.want {
			t.Errorf("lines %d to %d are %q", tc.first, tc.last, d.Text[start:end])
		}
	}
	for raw, want := range map[string][2]int{"a\n\uFFFD": {}, "a\n\xffb\xfe\n\xff": {3, 2}, "\xff": {1, 1}} {
		if count, line := CountInvalidUTF8([]byte(raw)); [2]int{count, line} != want {
			t.Errorf("%q: %d bytes, the first in line %d", raw, count, line)
		}
	}
}

// If the text of a file is replaced, its byte order mark, its line ends and its final newline stay.
func TestRewritten(t *testing.T) {
	t.Parallel()
	for _, tc := range [][3]string{
		{"a\n", "b", "b\n"},
		{"a\n", "b\n", "b\n"},
		{"a\n", "", ""},
		{"a", "b", "b"},
		{ByteOrderMark + "a", ByteOrderMark + "b", ByteOrderMark + "b"},
		{"a", ByteOrderMark + "b", "b"},
		{"a\r\nb\r\n", "c\nd", "c\r\nd\r\n"},
		{"a\nb\n", "c\r\nd\n", "c\r\nd\n"},
	} {
		if got := string(Parse([]byte(tc[0])).Encode(tc[1])); got != tc[2] {
			t.Errorf("%q becomes %q with %q, want %q", tc[0], got, tc[1], tc[2])
		}
	}
}
