package words

import (
	"strings"
	"unicode/utf8"
)

// What a notice may take of a screen: lines, and characters in each.
const (
	briefLines = 8
	briefWidth = 600
)

// Brief returns text as a notice may hold it, which anybody may have written: the first
// lines that are not blank, each of a bounded length, and how many more there are. Its
// characters stay as they are. Applying it again changes nothing.
func Brief(text string) string {
	var kept []string
	lines := 0
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if lines++; lines <= briefLines {
			kept = append(kept, shortened(strings.TrimRight(line, " \t"), briefWidth))
		}
	}
	if lines > briefLines {
		kept[briefLines-1] = "… " + Count(lines-briefLines+1, "more line")
	}
	return strings.Join(kept, "\n")
}

// shortened is the first characters of a line, most in all, with a mark when there are more.
func shortened(line string, most int) string {
	if len(line) <= most || utf8.RuneCountInString(line) <= most {
		return line
	}
	at := 0
	for range most - 1 {
		_, size := utf8.DecodeRuneInString(line[at:])
		at += size
	}
	return line[:at] + "…"
}
