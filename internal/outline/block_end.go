package outline

import "strings"

// blockEnd is a method of finding the end of a declaration.
type blockEnd struct {
	// by names the method in the note to the model.
	by string
	// last returns the index of the last line of the declaration that begins at line start.
	last func(code []string, start int) int
}

var (
	byBraces      = blockEnd{"braces", lastByBraces}
	byIndentation = blockEnd{"indentation", lastByIndentation}
)

// maxHeadLines is the number of lines after a name in which the first brace is searched.
const maxHeadLines = 50

// lastByBraces returns the last line of a declaration: the line with the brace that closes its
// first brace. Before the first brace, a semicolon or an empty line ends the declaration. A
// directive ends with its line.
func lastByBraces(code []string, start int) int {
	braces, parens := 0, 0
	opened := false
	for i := start; i < len(code); i++ {
		line := strings.TrimSpace(code[i])
		if !opened {
			switch {
			case i-start > maxHeadLines:
				return start
			case parens > 0:
			case line == "" && i > start:
				return i - 1
			case strings.HasPrefix(line, "#") && !strings.HasSuffix(line, `\`):
				return i
			}
		}
		for _, c := range line {
			switch c {
			case '(', '[':
				parens++
			case ')', ']':
				parens--
			case '{':
				braces++
				opened = true
			case '}':
				braces--
			}
			if opened && braces <= 0 || !opened && parens <= 0 && c == ';' {
				return i
			}
		}
	}
	return len(code) - 1
}

// lastByIndentation returns the last line of a declaration. It is the line before the next one that
// is not indented deeper. If that next line is "end", it belongs to the declaration.
func lastByIndentation(code []string, start int) int {
	last, parens := start, 0
	depth := len(indentation(code[start]))
	for i := start; i < len(code); i++ {
		line := strings.TrimSpace(code[i])
		if line == "" {
			continue
		}
		if i > start && parens <= 0 && len(indentation(code[i])) <= depth {
			if line == "end" {
				return i
			}
			if !strings.HasPrefix(line, ")") {
				return last
			}
		}
		parens += strings.Count(line, "(") - strings.Count(line, ")") + strings.Count(line, "[") - strings.Count(line, "]")
		last = i
	}
	return last
}
