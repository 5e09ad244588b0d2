package style

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Spans is a text in pieces, each of one style.
type Spans []Span

// String returns the text with its styles, ready for the terminal.
func (s Spans) String() string {
	var b strings.Builder
	for _, span := range s {
		b.WriteString(span.Style.Text(span.Text))
	}
	return b.String()
}

// Width returns the width of the text in cells.
func (s Spans) Width() int {
	width := 0
	for _, span := range s {
		width += Width(span.Text)
	}
	return width
}

// Restyle returns the spans with the style over added in the given parts of the text. The parts must be in
// order and must not overlap.
func (s Spans) Restyle(parts []Range, over Style) Spans {
	if len(parts) == 0 {
		return s
	}
	var out Spans
	at := 0
	for _, span := range s {
		end := at + len(span.Text)
		for at < end {
			for len(parts) > 0 && parts[0].To <= at {
				parts = parts[1:]
			}
			next, style := end, span.Style
			switch {
			case len(parts) == 0:
			case parts[0].From > at:
				next = min(end, parts[0].From)
			default:
				next, style = min(end, parts[0].To), over.Over(span.Style)
			}
			start := len(span.Text) - (end - at)
			out = append(out, Span{span.Text[start : start+next-at], style})
			at = next
		}
	}
	return out
}

// OnBackground returns the spans on a background that is at least width cells wide.
func (s Spans) OnBackground(ground Style, width int) Spans {
	out := slices.Clone(s)
	if pad := width - s.Width(); pad > 0 {
		out = append(out, Span{Text: strings.Repeat(" ", pad)})
	}
	for i := range out {
		out[i].Style = out[i].Style.Over(ground)
	}
	return out
}

// SoftWrap breaks the text into rows of at most width cells. If possible, it breaks after a space in the
// last two thirds of the row, so that words stay whole. No character is omitted: the space stays at the end
// of its row.
func (s Spans) SoftWrap(width int) []Spans {
	var rows []Spans
	whole, rest := s.Plain(), slices.Clone(s)
	for at := 0; ; {
		end := cutPoint(whole, at, width)
		var row Spans
		row, rest = rest.split(end - at)
		rows = append(rows, row)
		if at = end; at == len(whole) {
			return rows
		}
	}
}

// SoftRows returns the rows of SoftWrap, ready for the terminal.
func (s Spans) SoftRows(width int) (rows []string) {
	for _, row := range s.SoftWrap(width) {
		rows = append(rows, row.String())
	}
	return rows
}

// cutPoint returns the end of the row that begins at position at.
func cutPoint(text string, at, width int) int {
	used := 0
	for end := at; end < len(text); {
		cluster, cells := ansi.FirstGraphemeCluster(text[end:], ansi.GraphemeWidth)
		if used+cells > width && end > at {
			space := strings.LastIndexByte(text[at:end], ' ') + 1
			if text[end] != ' ' && 3*space > end-at {
				return at + space
			}
			return end
		}
		end += len(cluster)
		used += cells
	}
	return len(text)
}

// Plain returns the text without its styles.
func (s Spans) Plain() string {
	var b strings.Builder
	for _, span := range s {
		b.WriteString(span.Text)
	}
	return b.String()
}

// mergeSpans returns the spans with adjacent spans of the same style merged.
func (s Spans) mergeSpans() Spans {
	var out Spans
	for _, span := range s {
		if n := len(out); n > 0 && out[n-1].Style == span.Style {
			out[n-1].Text += span.Text
			continue
		}
		out = append(out, span)
	}
	return out
}

// split splits the text at the byte offset at. after reuses the memory of s.
func (s Spans) split(at int) (before, after Spans) {
	for i, span := range s {
		if at < len(span.Text) {
			if before = s[:i:i]; at > 0 {
				before = append(before, Span{span.Text[:at], span.Style})
			}
			s[i].Text = span.Text[at:]
			return before, s[i:]
		}
		at -= len(span.Text)
	}
	return s, nil
}
