package style

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Span is a piece of text in one style.
type Span struct {
	Text  string
	Style Style
}

// wrapper breaks spans into lines at spaces. Each line opens and closes its own
// styles, so that lines can be indented, printed and redrawn by themselves.
type wrapper struct {
	width int
	lines []string

	line strings.Builder
	// run is text of one look that waits to be put on the line.
	run   strings.Builder
	look  Style
	used  int
	word  []Span
	wordW int
	gap   string
	gapBy Style
}

// WrapSpans breaks spans into lines of at most width cells. A line end in the
// text is kept.
func WrapSpans(spans []Span, width int) []string {
	w := wrapper{width: max(1, width)}
	for _, s := range spans {
		w.add(s)
	}
	w.endWord()
	w.endLine()
	return w.lines
}

// WrapText breaks plain text into lines.
func WrapText(text string, width int) []string { return WrapSpans([]Span{{Text: text}}, width) }

func (w *wrapper) add(s Span) {
	text := s.Text
	for text != "" {
		switch i := strings.IndexAny(text, " \n"); {
		case i < 0:
			w.grow(text, s.Style)
			return
		case i > 0:
			w.grow(text[:i], s.Style)
			text = text[i:]
		case text[0] == '\n':
			w.endWord()
			w.endLine()
			text = text[1:]
		default:
			w.endWord()
			n := len(text) - len(strings.TrimLeft(text, " "))
			w.gap += text[:n]
			w.gapBy = s.Style
			text = text[n:]
		}
	}
}

// grow adds text without spaces to the current word. Wide characters are words by
// themselves: scripts that use them break anywhere.
func (w *wrapper) grow(text string, look Style) {
	width := Width(text)
	if width == len(text) && w.wordW+width <= w.width {
		w.word = append(w.word, Span{text, look})
		w.wordW += width
		return
	}
	start := 0
	for at := 0; at < len(text); {
		cluster, cells := ansi.FirstGraphemeCluster(text[at:], ansi.GraphemeWidth)
		if cells > 1 || w.wordW+cells > w.width {
			w.push(text[start:at], look)
			w.endWord()
			start = at
		}
		at += len(cluster)
		w.wordW += cells
	}
	w.push(text[start:], look)
}

func (w *wrapper) push(text string, look Style) {
	if text != "" {
		w.word = append(w.word, Span{text, look})
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
		w.put(w.gap[:gap], w.gapBy)
	}
	for _, s := range w.word {
		w.put(s.Text, s.Style)
	}
	w.used += gap + w.wordW
	w.word, w.wordW, w.gap = w.word[:0], 0, ""
}

// put puts text on the line. What has one style is switched on and off once.
func (w *wrapper) put(text string, look Style) {
	if look != w.look {
		w.endRun()
		w.look = look
	}
	w.run.WriteString(text)
}

func (w *wrapper) endRun() {
	w.line.WriteString(w.look.Text(w.run.String()))
	w.run.Reset()
}

func (w *wrapper) endLine() {
	w.endRun()
	w.lines = append(w.lines, w.line.String())
	w.line.Reset()
	w.used, w.gap = 0, ""
}

// Indent puts one prefix before the first line and another before the rest.
func Indent(lines []string, first, rest string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = first + line
		first = rest
	}
	return out
}

// HangingWrap breaks a line that is too wide. What follows stays in the line's last
// column that leaves a third of the width, else under its first word.
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
		before = line[:gap+1]
	}
	head := line[:hang]
	return Indent(WrapText(line[hang:], max(10, width-Width(head))), head, strings.Repeat(" ", Width(head)))
}

// IndentAll puts the same prefix before every line.
func IndentAll(lines []string, prefix string) []string { return Indent(lines, prefix, prefix) }
