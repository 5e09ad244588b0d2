package tui

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// tabWidth is how far apart tab stops are. Terminals and width functions disagree
// about tabs, so they are expanded before anything is measured.
const tabWidth = 4

// textWidth is how many cells a string takes.
func textWidth(s string) int {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// truncate cuts a string to a number of cells, marking the cut.
func truncate(s string, width int) string {
	if textWidth(s) <= width {
		return s
	}
	return ansi.Truncate(s, max(0, width), "…")
}

// clean makes text from outside fit for the screen: escape sequences and control
// characters are gone, tabs are expanded, and of text that overwrites its line
// only the last state is left. Characters that reverse or hide text are shown as
// such, so that what a person approves is what they read.
func clean(s string) string {
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
			width = tabWidth - column%tabWidth
			b.WriteString(strings.Repeat(" ", width))
		case r < ' ' || r >= 0x7f && r < 0xa0:
			width = 0
		case isInvisible(r):
			b.WriteString("�")
			width = 1
		default:
			b.WriteString(cluster)
		}
		column += width
	}
	return b.String()
}

// isInvisible reports characters that reorder or hide the text around them.
func isInvisible(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r >= 0xE0000 && r <= 0xE007F
}

// firstLine returns text up to its first line end.
func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// countLines counts the lines of a text; a line end at the end opens none.
func countLines(s string) int {
	if s == "" {
		return 0
	}
	n := strings.Count(s, "\n")
	if !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// hardWrap cuts a line into rows of at most width cells, wherever that falls.
func hardWrap(line string, width int) []string {
	if textWidth(line) <= width {
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
