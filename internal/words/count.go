package words

import (
	"strconv"
	"strings"
)

// Count writes a number of things: "1 line", "3 lines", "2 entries", "4 matches".
// The last word of noun is what takes the plural.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + Plural(noun)
}

// Plural is the plural of a noun, of which the last word takes it.
func Plural(noun string) string {
	if stem, found := strings.CutSuffix(noun, "y"); found && stem != "" && !strings.ContainsRune("aeiou", rune(stem[len(stem)-1])) {
		return stem + "ies"
	}
	for _, ending := range []string{"s", "x", "ch", "sh"} {
		if strings.HasSuffix(noun, ending) {
			return noun + "es"
		}
	}
	return noun + "s"
}

// Lines counts the lines of text. A line break at the end opens no further one,
// and an empty text has none.
func Lines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}
