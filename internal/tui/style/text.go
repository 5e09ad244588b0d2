package style

import (
	"strings"
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

// Clean makes text from outside fit for the screen: escape sequences and control
// characters are gone, tabs are expanded, and of text that overwrites its line
// only the last state is left. Characters that reverse or hide text are shown as
// such, so that what a person approves is what they read.
func Clean(s string) string {
	if isPlain(s) {
		return s
	}
	s = ansi.Strip(strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), "�"))
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
	for len(line) > 0 {
		cluster, width := ansi.FirstGraphemeCluster(line, ansi.GraphemeWidth)
		line = line[len(cluster):]
		r, _ := utf8.DecodeRuneInString(cluster)
		switch {
		case r == '\t':
			width = TabWidth - column%TabWidth
			b.WriteString(strings.Repeat(" ", width))
		case r < ' ' || r >= 0x7f && r < 0xa0:
			width = 0
		case IsInvisible(r):
			b.WriteString("�")
			width = 1
		default:
			b.WriteString(cluster)
		}
		column += width
	}
	return b.String()
}

// IsInvisible reports characters that reorder or hide the text around them.
func IsInvisible(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r >= 0xE0000 && r <= 0xE007F
}

// FirstLine returns text up to its first line end.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// CountLines counts the lines of a text; a line end at the end opens none.
func CountLines(s string) int {
	if s == "" {
		return 0
	}
	n := strings.Count(s, "\n")
	if !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// HardWrap cuts a line into rows of at most width cells, wherever that falls.
func HardWrap(line string, width int) []string {
	if Width(line) <= width {
		return []string{line}
	}
	var rows []string
	start, used := 0, 0
	for at := 0; at < len(line); {
		cluster, w := ansi.FirstGraphemeCluster(line[at:], ansi.GraphemeWidth)
		if used+w > width && used > 0 {
			rows = append(rows, line[start:at])
			start, used = at, 0
		}
		at += len(cluster)
		used += w
	}
	return append(rows, line[start:])
}
