package command

import (
	"errors"
	"strings"
)

// A word is one word of a command line.
type word struct {
	// text is the word without quotes. start is the position, in bytes, of the word or its opening quote.
	text  string
	start int
}

// split splits a line into words at white space. Single or double quotes keep spaces together. open is the
// quote that is not closed, or 0 if all are closed. If the line ends in white space, the last word is empty
// and begins there.
func split(line string) (words []word, open rune) {
	var text strings.Builder
	begun := false
	start := 0
	for i, r := range line {
		switch {
		case open != 0 && r == open:
			open = 0
		case open != 0:
			text.WriteRune(r)
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			if begun {
				words = append(words, word{text.String(), start})
				text.Reset()
			}
			begun = false
			continue
		case r == '"' || r == '\'':
			open = r
			if !begun {
				start, begun = i, true
			}
		default:
			if !begun {
				start, begun = i, true
			}
			text.WriteRune(r)
		}
	}
	if !begun {
		start = len(line)
	}
	return append(words, word{text.String(), start}), open
}

// parse splits a complete command line into the name of the command and its arguments.
func parse(line string) (name string, args []string, err error) {
	words, open := split(strings.TrimSpace(line))
	if open != 0 {
		return "", nil, errors.New("a quote " + string(open) + " is not closed")
	}
	name, isCommand := strings.CutPrefix(words[0].text, "/")
	if !isCommand || name == "" {
		return "", nil, errors.New("a command begins with / and its name. Run: /help")
	}
	for _, w := range words[1:] {
		args = append(args, w.text)
	}
	return name, args, nil
}

// Quote quotes a value so that split reads it as one word.
func Quote(value string) string {
	switch {
	case value != "" && !strings.ContainsAny(value, " \t\n\r\"'"):
		return value
	case strings.Contains(value, `"`):
		return "'" + value + "'"
	default:
		return `"` + value + `"`
	}
}
