package style

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSpansRestyle(t *testing.T) {
	t.Parallel()
	a, b, over := Style{On: "<a>", off: "</>"}, Style{On: "<b>", off: "</>"}, Style{On: "<o>", off: "</>"}
	got := Spans{{"abc", a}, {"def", b}}.Restyle([]Range{{1, 4}, {5, 6}}, over).String()
	if want := "<a>a</><a><o>bc</><b><o>d</><b>e</><b><o>f</>"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSoftWrapOfSeveralSpans(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOf(rapid.StringMatching(`[ab日é ]{0,9}`)).Draw(t, "texts")
		width := rapid.IntRange(2, 12).Draw(t, "width")
		var spans Spans
		for _, text := range texts {
			spans = append(spans, Span{Text: text})
		}
		var all strings.Builder
		for _, row := range spans.SoftWrap(width) {
			if row.Width() > width {
				t.Fatalf("a row of %d cells: %q", row.Width(), row)
			}
			all.WriteString(row.String())
		}
		if want := strings.Join(texts, ""); all.String() != want {
			t.Fatalf("got %q, want %q", all.String(), want)
		}
	})
}

// SoftWrap keeps all text, fits the width, and breaks between words if possible.
func TestSoftWrap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("abc    日é")), 0, 200, -1).Draw(t, "text")
		width := rapid.IntRange(2, 40).Draw(t, "width")
		joined := ""
		for _, row := range (Spans{{Text: text}}).SoftWrap(width) {
			if row.Width() > width {
				t.Fatalf("%q is wider than %d", row, width)
			}
			joined += row.Plain()
		}
		if joined != text {
			t.Fatalf("%q became %q", text, joined)
		}
	})
	var rows []string
	for _, row := range (Spans{{Text: "the quick brown fox-jumps over"}}).SoftWrap(12) {
		rows = append(rows, row.Plain())
	}
	if got := strings.Join(rows, "|"); got != "the quick |brown |fox-jumps |over" {
		t.Error(got)
	}
}
