package style

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Span is a piece of text in one style.
type Span struct {
	Text  string
	Style Style
}

// WrapSpans breaks spans into lines of at most width cells, between words if possible, and at every line
// end in the text. Each line opens and closes its own styles, so that lines can be indented, printed and
// redrawn separately.
func WrapSpans(spans Spans, width int) []string {
	var lines []string
	rest, at := slices.Clone(spans), 0
	for _, row := range wrapped(spans.Plain(), max(1, width)) {
		var line Spans
		_, rest = rest.split(row.From - at)
		line, rest = rest.split(row.To - row.From)
		lines = append(lines, line.mergeSpans().String())
		at = row.To
	}
	return lines
}

// WrapText breaks plain text into lines of at most width cells.
func WrapText(text string, width int) []string { return WrapSpans(Spans{{Text: text}}, width) }

// wrapped returns the ranges of the lines of a text. The spaces at a break are in none of the ranges.
func wrapped(text string, width int) (lines []Range) {
	var line Range
	used := 0           // width of the line, in cells
	word, cells := 0, 0 // start of the current word, and its width
	end := func(next int) {
		lines = append(lines, line)
		line, used = Range{next, next}, 0
	}
	// place puts the word on the line, or on the next line if the word does not fit.
	place := func(to int) {
		if word == to {
			return
		}
		gap := word - line.To
		switch {
		case line.From == line.To: // shorten the indentation so that the first word fits
			gap = max(0, min(gap, width-cells))
			line.From = word - gap
		case used+gap+cells > width:
			end(word)
			gap = 0
		}
		line.To = to
		used += gap + cells
		word, cells = to, 0
	}
	for at := 0; at < len(text); {
		size, wide := 1, 1
		if c := text[at]; c < ' ' || c >= 0x7f || at+1 < len(text) && text[at+1] >= utf8.RuneSelf {
			cluster, w := ansi.FirstGraphemeCluster(text[at:], ansi.GraphemeWidth)
			size, wide = len(cluster), w
		}
		switch {
		case text[at] == '\n':
			place(at)
			end(at + 1)
			word, size = at+1, 1
		case text[at] == ' ':
			place(at)
			word, size = at+1, 1
		default:
			// Text in wide characters can be broken anywhere, and a word that is too long must be broken.
			if wide > 1 || cells+wide > width {
				place(at)
			}
			cells += wide
		}
		at += size
	}
	place(len(text))
	end(len(text))
	return lines
}

// Indent adds the prefix first to the first line and the prefix rest to the other lines.
func Indent(lines []string, first, rest string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = first + line
		first = rest
	}
	return out
}

// HangingWrap breaks a line that is too wide. The continuation is indented to the last column of the line
// that begins in the first two thirds of the width. A column is text after two spaces. Without such a
// column, it is indented to the first word. The columns to the right follow two spaces apart.
func HangingWrap(line string, width int) []string {
	if Width(line) <= width {
		return []string{line}
	}
	hang := len(line) - len(strings.TrimLeft(line, " "))
	line = strings.TrimRight(line, " ")
	for before := line; ; {
		gap := strings.LastIndex(before, "  ")
		if gap < hang {
			break
		}
		if Width(line[:gap+2]) <= width*2/3 {
			hang = gap + 2
			break
		}
		before = strings.TrimRight(line[:gap], " ")
	}
	head, rest := line[:hang], line[hang:]
	for strings.Contains(rest, "   ") {
		rest = strings.ReplaceAll(rest, "   ", "  ")
	}
	return Indent(WrapText(rest, max(10, width-Width(head))), head, strings.Repeat(" ", Width(head)))
}

// IndentAll adds a prefix to every line.
func IndentAll(lines []string, prefix string) []string { return Indent(lines, prefix, prefix) }
