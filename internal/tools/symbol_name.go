package tools

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isNameRune reports whether a character is part of a name.
func isNameRune(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// lastName returns the last identifier of a name such as Type.Method, pkg::f or (*T).f(). It returns ""
// if there is none.
func lastName(name string) string {
	name = strings.TrimRightFunc(strings.TrimSpace(name), func(r rune) bool { return r == '(' || r == ')' })
	begin := strings.LastIndexFunc(name, func(r rune) bool { return !isNameRune(r) })
	if begin >= 0 {
		_, size := utf8.DecodeRuneInString(name[begin:])
		name = name[begin+size:]
	}
	if name == "" || unicode.IsDigit([]rune(name)[0]) {
		return ""
	}
	return name
}

// nextName returns the offset of the next whole-word occurrence of a name from an offset on, -1 for
// none.
func nextName(content []byte, word string, from int) int {
	for at := from; at < len(content); {
		i := bytes.Index(content[at:], []byte(word))
		if i < 0 {
			return -1
		}
		at += i
		before, _ := utf8.DecodeLastRune(content[:at])
		after, _ := utf8.DecodeRune(content[at+len(word):])
		if !isNameRune(before) && !isNameRune(after) {
			return at
		}
		at += len(word)
	}
	return -1
}

// nameOnLine returns the offset of a name on a line, or on the nearest line that contains it. It
// searches the qualified name before its last part.
func nameOnLine(content []byte, name, word string, line int) (int, error) {
	var starts []int
	for at := 0; at <= len(content); {
		starts = append(starts, at)
		next := bytes.IndexByte(content[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	if line > len(starts) {
		return 0, fmt.Errorf("there is no line %d; the last is %d", line, len(starts))
	}
	on := func(n int) int {
		if n < 1 || n > len(starts) {
			return -1
		}
		end := len(content)
		if n < len(starts) {
			end = starts[n]
		}
		text := content[:end]
		if i := bytes.Index(text[starts[n-1]:], []byte(name)); i >= 0 && name != word {
			if at := nextName(text, word, starts[n-1]+i+len(name)-len(word)); at == starts[n-1]+i+len(name)-len(word) {
				return at
			}
		}
		return nextName(text, word, starts[n-1])
	}
	for away := range nearLines + 1 {
		for _, n := range []int{line - away, line + away} {
			if at := on(n); at >= 0 {
				return at, nil
			}
		}
	}
	return 0, fmt.Errorf("line %d does not have the name %s", line, word)
}
