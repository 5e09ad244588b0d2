// Package style formats text for a terminal: themes, the width of text, wrapping, and making external text
// safe. It has no side effects and does not depend on the meaning of the text.
//
// A Theme holds a Style for each meaning (Warn, Added, Code, …). Package tui makes it from a Palette and
// passes it to every function that draws. A Spans is a text in pieces of one style each, which is wrapped
// before it becomes rows of the terminal.
//
// External text passes one of three functions. Clean is for output to read, and Reveal for text that a user
// approves. term.Screen applies Seal to every row on its way to the terminal.
package style

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// TabWidth is the distance of tab stops in cells. Terminals and width functions disagree about
// tabs, so tabs are expanded before anything is measured.
const TabWidth = 4

// Width returns the width of a string in cells.
func Width(s string) int {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// Truncate shortens a string to a number of cells, and marks the cut with "…".
func Truncate(s string, width int) string {
	if Width(s) <= width {
		return s
	}
	return ansi.Truncate(s, max(0, width), "…")
}

// Parts shortens a line of parts with separators to width. It removes whole parts from the end, and
// truncates the first part if that alone is too wide.
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

// CleanProse is Clean for text that was not written for a terminal. A lone CR ends a line, so that the text
// before it stays.
func CleanProse(s string) string {
	if strings.Contains(s, "\r") {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	return Clean(s)
}

// Clean makes the output of a command safe for the screen. It removes escape sequences and control
// characters, expands tabs, and keeps only the last state of an overwritten line. Characters that reorder
// or hide text are shown visibly. For text that a user approves, use Reveal.
func Clean(s string) string {
	if isPlain(s) {
		return s
	}
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), "�")
	// A sequence may end inside a character, so that the other bytes of the character remain.
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

// CleanStyled is Clean for a line. It keeps the styles of the line if styled is set. They end with the
// line.
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
			// A hidden character in the same cluster would be invisible.
			if strings.ContainsFunc(cluster, IsHiding) {
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

// isUnspaced reports whether a character belongs to a script without spaces. In such a script, a zero-width
// space marks the end of a word and hides nothing.
func isUnspaced(r rune) bool {
	return unicode.In(r, unicode.Khmer, unicode.Lao, unicode.Myanmar, unicode.Thai)
}

func showInvisible(text string) string {
	return strings.Map(func(r rune) rune {
		if IsHiding(r) {
			return '�'
		}
		return r
	}, text)
}

// JoinComma joins two texts with a comma, unless the first is empty.
func JoinComma(a, b string) string {
	if a == "" {
		return b
	}
	return a + ", " + b
}

// HardWrap breaks a line into rows of at most width cells, even within words.
func HardWrap(line string, width int) []string {
	return strings.Split(ansi.Hardwrap(line, width, true), "\n")
}

// Tail returns the end of a text in at most height rows of width cells. Its cost does not depend
// on the length of the text.
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
