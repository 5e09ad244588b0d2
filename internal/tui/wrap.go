package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// span is a piece of text in one style.
type span struct {
	text  string
	style paint
}

// wrapper breaks spans into lines at spaces. Each line opens and closes its own
// styles, so that lines can be indented, printed and redrawn by themselves.
type wrapper struct {
	width int
	lines []string

	line  strings.Builder
	used  int
	word  []span
	wordW int
	gap   string
	gapBy paint
}

// wrapSpans breaks spans into lines of at most width cells. A line end in the
// text is kept.
func wrapSpans(spans []span, width int) []string {
	w := wrapper{width: max(1, width)}
	for _, s := range spans {
		w.add(s)
	}
	w.endWord()
	w.endLine()
	return w.lines
}

// wrapText breaks plain text into lines.
func wrapText(text string, width int) []string { return wrapSpans([]span{{text: text}}, width) }

func (w *wrapper) add(s span) {
	text := s.text
	for text != "" {
		switch i := strings.IndexAny(text, " \n"); {
		case i < 0:
			w.grow(text, s.style)
			return
		case i > 0:
			w.grow(text[:i], s.style)
			text = text[i:]
		case text[0] == '\n':
			w.endWord()
			w.endLine()
			text = text[1:]
		default:
			w.endWord()
			n := len(text) - len(strings.TrimLeft(text, " "))
			w.gap += text[:n]
			w.gapBy = s.style
			text = text[n:]
		}
	}
}

// grow adds text without spaces to the current word. Wide characters are words by
// themselves: scripts that use them break anywhere.
func (w *wrapper) grow(text string, style paint) {
	width := textWidth(text)
	if width == len(text) && w.wordW+width <= w.width {
		w.word = append(w.word, span{text, style})
		w.wordW += width
		return
	}
	start := 0
	for at := 0; at < len(text); {
		cluster, cells := ansi.FirstGraphemeCluster(text[at:], ansi.GraphemeWidth)
		if cells > 1 || w.wordW+cells > w.width {
			w.push(text[start:at], style, 0)
			w.endWord()
			start = at
		}
		at += len(cluster)
		w.wordW += cells
	}
	w.push(text[start:], style, 0)
}

func (w *wrapper) push(text string, style paint, width int) {
	if text != "" {
		w.word = append(w.word, span{text, style})
		w.wordW += width
	}
}

// endWord puts the word on the line, or on the next one when it does not fit.
func (w *wrapper) endWord() {
	if len(w.word) == 0 {
		return
	}
	gap := len(w.gap)
	if w.used > 0 && w.used+gap+w.wordW > w.width {
		w.endLine()
		gap = 0
	} else if gap > 0 {
		gap = max(0, min(gap, w.width-w.used-w.wordW))
		w.line.WriteString(w.gapBy.text(w.gap[:gap]))
	}
	for _, s := range w.word {
		w.line.WriteString(s.style.text(s.text))
	}
	w.used += gap + w.wordW
	w.word, w.wordW, w.gap = w.word[:0], 0, ""
}

func (w *wrapper) endLine() {
	w.lines = append(w.lines, w.line.String())
	w.line.Reset()
	w.used, w.gap = 0, ""
}

// indent puts one prefix before the first line and another before the rest.
func indent(lines []string, first, rest string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		if i == 0 {
			out[i] = first + line
		} else {
			out[i] = rest + line
		}
	}
	return out
}
