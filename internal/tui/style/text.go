// Package style is how text looks on a terminal: themes, the width of text,
// wrapping, and cleaning of text from outside. It is pure and knows nothing of what
// the text is about.
package style

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// TabWidth is how far apart tab stops are. Terminals and width functions disagree
// about tabs, so they are expanded before anything is measured.
const TabWidth = 4

// Width is how many cells a string takes.
func Width(s string) int {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// Truncate cuts a string to a number of cells, marking the cut.
func Truncate(s string, width int) string {
	if Width(s) <= width {
		return s
	}
	return ansi.Truncate(s, max(0, width), "…")
}

// Parts is as much of a line as fits, in whole parts, which the separator is between; a
// first part that is too wide is cut.
func Parts(line, separator string, width int) string {
	for Width(line) > width {
		at := strings.LastIndex(line, separator)
		if at <= 0 {
			return Truncate(line, width)
		}
		line = line[:at]
	}
	return line
}

// CleanProse is Clean for text that was not written for a terminal: a lone CR ends a
// line, so that nothing before it is lost.
func CleanProse(s string) string {
	if strings.Contains(s, "\r") {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	return Clean(s)
}

// Clean makes what a command printed fit for the screen: escape sequences and control
// characters are gone, tabs are expanded, and of text that overwrites its line
// only the last state is left. Characters that reorder or hide text are shown as
// such. For what a person consents to there is Reveal.
func Clean(s string) string {
	if isPlain(s) {
		return s
	}
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), "�")
	// A sequence may end inside a character, whose other bytes are left over.
	s = strings.ToValidUTF8(ansi.Strip(s), "�")
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		if at := strings.LastIndexByte(line, '\r'); at >= 0 {
			line = line[at+1:]
		}
		lines[i] = cleanLine(line)
	}
	return strings.Join(lines, "\n")
}

// CleanStyled is Clean for a line whose styles stay if styled is set; they end with it.
func CleanStyled(line string, styled bool) string {
	if !styled || !strings.Contains(line, "\x1b[") {
		return Clean(line)
	}
	var b strings.Builder
	from := 0
	for at := 0; at < len(line); {
		n := styleLength(line[at:])
		if n == 0 {
			at++
			continue
		}
		b.WriteString(Clean(line[from:at]) + line[at:at+n])
		at += n
		from = at
	}
	b.WriteString(Clean(line[from:]) + "\x1b[m")
	return b.String()
}

func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < ' ' && c != '\n' {
			return false
		}
	}
	return true
}

func cleanLine(line string) string {
	var b strings.Builder
	column := 0
	before := rune(0)
	for len(line) > 0 {
		cluster, width := ansi.FirstGraphemeCluster(line, ansi.GraphemeWidth)
		line = line[len(cluster):]
		r, _ := utf8.DecodeRuneInString(cluster)
		after, _ := utf8.DecodeRuneInString(line)
		switch {
		case r == '\u200b' && (isUnspaced(before) || isUnspaced(after)):
			width = 0
		case r == '\t':
			width = TabWidth - column%TabWidth
			b.WriteString(strings.Repeat(" ", width))
		case r < ' ' || r >= 0x7f && r < 0xa0:
			width = 0
		default:
			// What joins a visible character hides behind it.
			if strings.ContainsFunc(cluster, Hides) {
				cluster = showInvisible(cluster)
				width = ansi.StringWidth(cluster)
			}
			b.WriteString(cluster)
		}
		column += width
		before = r
	}
	return b.String()
}

// isUnspaced reports a character of a script without spaces, where a zero-width one marks
// the end of a word and hides nothing.
func isUnspaced(r rune) bool {
	return unicode.In(r, unicode.Khmer, unicode.Lao, unicode.Myanmar, unicode.Thai)
}

func showInvisible(text string) string {
	return strings.Map(func(r rune) rune {
		if Hides(r) {
			return '�'
		}
		return r
	}, text)
}

// Listed puts a comma between two texts, when there are two.
func Listed(a, b string) string {
	if a == "" {
		return b
	}
	return a + ", " + b
}

// HardWrap cuts a line into rows of at most width cells, wherever that falls.
func HardWrap(line string, width int) []string {
	return strings.Split(ansi.Hardwrap(line, width, true), "\n")
}

// Tail renders the end of a text in at most height rows of width cells. Its
// cost does not depend on the length of the text.
func Tail(text string, width, height int) []string {
	if height <= 0 || width <= 0 {
		return nil
	}
	if most := 8 * width * height; len(text) > most {
		text = strings.ToValidUTF8(text[len(text)-most:], "")
	}
	text = strings.TrimRight(text, " \r\n")
	at := len(text)
	for range height {
		if at = strings.LastIndexByte(text[:at], '\n'); at < 0 {
			break
		}
	}
	text = strings.TrimLeft(text[at+1:], "\n")
	if text == "" {
		return nil
	}
	rows := WrapText(Clean(text), width)
	return rows[max(0, len(rows)-height):]
}
