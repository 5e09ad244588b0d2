package offline

import (
	"strings"
	"unicode"
)

// oneLine makes recorded text fit a column: at most width characters, and none
// that a terminal would obey.
func oneLine(s string, width int) string {
	cut := len(s) > 4*width
	if cut {
		s = s[:4*width] // more bytes than width characters can have
	}
	runes := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "")))
	if cut || len(runes) > width {
		return string(runes[:min(len(runes), width-1)]) + "…"
	}
	return string(runes)
}
