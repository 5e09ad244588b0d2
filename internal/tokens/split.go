package tokens

import (
	"strings"
	"unicode/utf8"
)

// splitter returns the end of the first piece of a non-empty text. It implements the regular expression
// of one encoding by hand, because Go's regexp package has no lookahead and a backtracking
// implementation is slow.
type splitter func(text string) (end int)

// skip returns the end of the run of runes in the wanted classes that begins at start.
func skip(text string, start int, wanted class) int {
	for start < len(text) {
		c, size := class(0), 1
		if first := text[start]; first < utf8.RuneSelf {
			c = asciiClasses[first]
		} else {
			c, size = classAt(text[start:])
		}
		if c&wanted == 0 {
			break
		}
		start += size
	}
	return start
}

// contraction matches (?i:'s|'t|'re|'ve|'m|'ll|'d) at start and returns its end, or start.
func contraction(text string, start int) int {
	const toLower = 0x20
	rest := text[start:]
	if len(rest) < 2 || rest[0] != '\'' {
		return start
	}
	switch first := rest[1] | toLower; first {
	case 's', 't', 'm', 'd':
		return start + 2
	case 'r', 'v', 'l':
		second := byte('e')
		if first == 'l' {
			second = 'l'
		}
		if len(rest) > 2 && rest[2]|toLower == second {
			return start + 3
		}
	}
	return start
}

// digits matches \p{N}{1,3} and returns its end, or 0.
func digits(text string) int {
	end := 0
	for range 3 {
		c, size := classAt(text[end:])
		if c&digit == 0 {
			break
		}
		end += size
	}
	return end
}

// punctuation matches " ?[^\s\p{L}\p{N}]+" followed by any number of the bytes in
// trailers, and returns its end, or 0.
func punctuation(text, trailers string) int {
	start := 0
	if text[0] == ' ' {
		start = 1
	}
	end := start
	for {
		c, size := classAt(text[end:])
		if size == 0 || c&(letter|digit|space) != 0 {
			break
		}
		end += size
	}
	if end == start {
		return 0
	}
	for end < len(text) && strings.IndexByte(trailers, text[end]) >= 0 {
		end++
	}
	return end
}

// whitespace matches \s*[\r\n]+|\s+(?!\S)|\s+ at text, which begins with a space, and returns its end.
// The end is after the last line break if there is one. Otherwise it is before the last space, which
// belongs to the next word. If no word follows, the end is after all the space.
func whitespace(text string) int {
	end, lastStart, lineEnd := 0, 0, 0
	for {
		c, size := classAt(text[end:])
		if c&space == 0 {
			break
		}
		lastStart = end
		end += size
		if c&newline != 0 {
			lineEnd = end
		}
	}
	switch {
	case lineEnd > 0:
		return lineEnd
	case end == len(text), lastStart == 0:
		return end
	default:
		return lastStart
	}
}
