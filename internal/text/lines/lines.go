// Package lines handles a text as lines. It splits, counts and numbers lines. It cuts a line or a
// text to a size without splitting a character, and marks what is missing. Sizes are in bytes, and
// line numbers start at 1.
package lines

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Split cuts text after each line feed; an empty text has no lines.
func Split(text string) []string { return slices.Collect(strings.Lines(text)) }

// Join joins lines and ends each line with a line feed.
func Join(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return strings.Join(list, "\n") + "\n"
}

// LineNumber returns the number of the line that contains an offset.
func LineNumber(text string, offset int) int { return strings.Count(text[:offset], "\n") + 1 }

// AddNumbers adds its number and a bar to the start of each line. The text of the line follows the bar
// directly, so that its indentation can be copied.
func AddNumbers(list []string, first int) string {
	var out strings.Builder
	width := len(fmt.Sprint(first + len(list) - 1))
	for i, line := range list {
		fmt.Fprintf(&out, "%*d|%s\n", width, first+i, strings.TrimSuffix(line, "\n"))
	}
	return out.String()
}

// mostNumbers is the greatest number of line numbers in a list.
const mostNumbers = 20

// Numbers lists the numbers of lines: "line 3", "lines 3, 5".
func Numbers(numbers []int) string {
	var list []string
	for _, n := range numbers[:min(len(numbers), mostNumbers)] {
		list = append(list, fmt.Sprint(n))
	}
	if len(numbers) > mostNumbers {
		list = append(list, "…")
	}
	if len(numbers) > 1 {
		return "lines " + strings.Join(list, ", ")
	}
	return "line " + strings.Join(list, ", ")
}

// Append adds a last line to a text.
func Append(text, line string) string {
	if text == "" {
		return line
	}
	return strings.TrimSuffix(text, "\n") + "\n" + line
}

// Cut shortens a line to about limit bytes and appends how much is missing.
func Cut(line string, limit int) string {
	if len(line) <= limit {
		return line
	}
	kept := TrimPartialRune(line[:limit])
	return fmt.Sprintf("%s… [%d more bytes of this line]", kept, len(line)-len(kept))
}

// Head returns the whole lines at the start of text that fit into limit bytes, and appends how many
// lines are missing.
func Head(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := strings.LastIndexByte(text[:limit], '\n') + 1
	missing := strings.Count(strings.TrimSuffix(text[end:], "\n"), "\n") + 1
	return fmt.Sprintf("%s[%d more lines]", text[:end], missing)
}

// TrimPartialRune removes an incomplete character at the end.
func TrimPartialRune(text string) string {
	for i := 0; i < utf8.UTFMax && len(text) > 0; i++ {
		if r, size := utf8.DecodeLastRuneInString(text); r != utf8.RuneError || size != 1 {
			break
		}
		text = text[:len(text)-1]
	}
	return text
}
