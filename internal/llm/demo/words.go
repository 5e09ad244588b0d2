package demo

import (
	"fmt"
	"strings"
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

// maxQuoted is how much of what the user typed is repeated, in characters.
const maxQuoted = 60

// head is the beginning of a text, enough to show that it is there.
func head(text string) string {
	const most = 8
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) <= most {
		return strings.Join(lines, "\n")
	}
	return fmt.Sprintf("%s\n… %d more", strings.Join(lines[:most], "\n"), len(lines)-most)
}
