package demo

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// unquote drops the quotes or backticks around a word of a request.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	for _, quote := range []string{"`", `"`, "'"} {
		if len(s) >= 2 && strings.HasPrefix(s, quote) && strings.HasSuffix(s, quote) {
			return s[1 : len(s)-1]
		}
	}
	return s
}

// shortened is s in one line of at most 60 characters.
func shortened(s string) string {
	const most = 60
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

// head is the beginning of a text, enough to show that it is there.
func head(text string) string {
	const most = 8
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) <= most {
		return strings.Join(lines, "\n")
	}
	return fmt.Sprintf("%s\n… %d more", strings.Join(lines[:most], "\n"), len(lines)-most)
}

func lineCount(text string) int {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return 0
	}
	return strings.Count(text, "\n") + 1
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
