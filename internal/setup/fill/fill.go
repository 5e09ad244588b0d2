// Package fill puts arguments, files and the output of commands into the text of a
// command or a skill. It is one pass: what is put in is never looked at again.
package fill

import (
	"strconv"
	"strings"
)

// Part is a piece of a text that was filled in.
type Part struct {
	// Text is said as it is, File is a path to include, Command a line to run. One
	// of them has a value.
	Text, File, Command string
	// Refused says why Command must not run, empty if it may.
	Refused string
}

// Template is a text with places to fill.
type Template struct {
	Text string
	// Names are the named arguments, in order.
	Names []string
	// Braces says that places are written as gemini-cli writes them: {{args}}, !{…},
	// @{…}. They count besides the others.
	Braces bool
	// Dir takes the place of ${CLAUDE_SKILL_DIR}, empty for a command.
	Dir string
}

// Fill puts the arguments of a line into the template. Without any place for them they
// follow after an empty line.
func (t Template) Fill(line string) []Part {
	f := &filler{Template: t, line: strings.TrimSpace(line), words: Words(line)}
	f.pass()
	if !f.used && f.line != "" {
		f.text.WriteString("\n\n" + f.line)
	}
	f.flush()
	return f.parts
}

type filler struct {
	Template
	line  string
	words []string

	parts []Part
	text  strings.Builder
	// used says that an argument has a place.
	used bool
}

func (f *filler) flush() {
	if f.text.Len() > 0 {
		f.parts = append(f.parts, Part{Text: f.text.String()})
		f.text.Reset()
	}
}

// pass reads the template once.
func (f *filler) pass() {
	rest := f.Text
	start := true // of a word
	for rest != "" {
		if n := f.place(rest, start); n > 0 {
			rest = rest[n:]
			start = false
			continue
		}
		start = strings.ContainsRune(" \t\n(", rune(rest[0]))
		f.text.WriteByte(rest[0])
		rest = rest[1:]
	}
}

// place fills the place that a text begins with and returns its length, 0 for none.
func (f *filler) place(rest string, start bool) int {
	switch {
	case strings.HasPrefix(rest, `\$`):
		f.text.WriteByte('$')
		return 2
	case start && strings.HasPrefix(rest, "!`"):
		if end := strings.IndexByte(rest[2:], '`'); end > 0 && !strings.Contains(rest[2:2+end], "\n") {
			f.command(rest[2 : 2+end])
			return end + 3
		}
	case f.Braces && strings.HasPrefix(rest, "!{"):
		if end := closing(rest[1:]); end > 0 {
			f.command(rest[2 : 1+end])
			return end + 2
		}
	case f.Braces && strings.HasPrefix(rest, "@{"):
		if end := closing(rest[1:]); end > 0 {
			f.file(rest[2 : 1+end])
			return end + 2
		}
	case rest[0] == '@' && start:
		if name := word(rest[1:]); name != "" {
			f.file(name)
			return 1 + len(name)
		}
	}
	value, n, argument := f.value(rest)
	f.used = f.used || argument
	f.text.WriteString(value)
	return n
}

func (f *filler) file(name string) {
	f.flush()
	f.parts = append(f.parts, Part{File: strings.TrimSpace(name)})
}

// command adds a line to run. Arguments in it are quoted, so that each is one word
// whatever it holds.
func (f *filler) command(line string) {
	f.flush()
	part := Part{}
	var b strings.Builder
	var quotes quoting
	nested := strings.Contains(line, "$(") || strings.Contains(line, "`") || strings.Contains(line, "<<") || strings.Contains(line, "${")
	for line != "" {
		if strings.HasPrefix(line, `\$`) {
			b.WriteByte('$')
			line = line[2:]
			continue
		}
		value, n, argument := f.value(line)
		if n == 0 {
			b.WriteByte(line[0])
			quotes.next(line[0])
			line = line[1:]
			continue
		}
		f.used = f.used || argument
		if argument {
			if nested && strings.Trim(value, plain) != "" {
				part.Refused = "an argument within $(…), ${…}, <<… or backticks may hold only letters, digits and ./:@%+,=_-"
			}
			value = quotes.around(Quote(value))
		}
		b.WriteString(value)
		line = line[n:]
	}
	part.Command = b.String()
	f.parts = append(f.parts, part)
}

// plain are the characters that mean nothing to a shell, wherever they are.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./:@%+,=_-"

// quoting follows the quotes of a line of shell.
type quoting struct {
	quote   byte // 0 outside of quotes
	escaped bool
}

func (q *quoting) next(c byte) {
	switch {
	case q.escaped:
		q.escaped = false
	case c == '\\' && q.quote != '\'':
		q.escaped = true
	case q.quote == c:
		q.quote = 0
	case q.quote == 0 && (c == '"' || c == '\''):
		q.quote = c
	}
}

// around puts a quoted word into the quotes that are open, by closing them around it.
func (q *quoting) around(word string) string {
	if q.quote == 0 {
		return word
	}
	return string(q.quote) + word + string(q.quote)
}

// value is what takes the place of the variable that a text begins with, and the length
// of its name; 0 for none. Argument says that it is what a person typed.
func (f *filler) value(rest string) (value string, length int, argument bool) {
	const dir, all, braces = "${CLAUDE_SKILL_DIR}", "$ARGUMENTS", "{{args}}"
	switch {
	case f.Braces && strings.HasPrefix(rest, braces):
		return f.line, len(braces), true
	case f.Dir != "" && strings.HasPrefix(rest, dir):
		return f.Dir, len(dir), false
	case strings.HasPrefix(rest, all+"["):
		digits, n := number(rest[len(all)+1:])
		if n > 0 && strings.HasPrefix(rest[len(all)+1+n:], "]") && digits < len(f.words) {
			return f.words[digits], len(all) + n + 2, true
		}
	case strings.HasPrefix(rest, all):
		return f.line, len(all), true
	case strings.HasPrefix(rest, "$"):
		if n, digits := number(rest[1:]); digits == 1 && n >= 1 && n <= len(f.words) {
			return f.words[n-1], 2, true
		}
		for i, name := range f.Names {
			if after, found := strings.CutPrefix(rest[1:], name); found && (after == "" || !isName(after[0])) {
				if i < len(f.words) {
					return f.words[i], 1 + len(name), true
				}
				return "", 1 + len(name), true
			}
		}
	}
	return "", 0, false
}

// number reads the digits at the beginning of a text and returns how many there are.
func number(s string) (n, digits int) {
	for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	n, err := strconv.Atoi(s[:digits])
	if err != nil {
		return 0, 0
	}
	return n, digits
}

func isName(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// closing returns where the brace that a text begins with is closed, or -1.
func closing(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// word is the path that a text begins with, without what ends a sentence.
func word(s string) string {
	if end := strings.IndexAny(s, " \t\n`\"'"); end >= 0 {
		s = s[:end]
	}
	return strings.TrimRight(s, ".,;:)")
}

// Words splits a line as a shell does: quotes and backslashes hold blanks together, and a
// quote that is never closed ends with the line.
func Words(line string) []string {
	var words []string
	var b strings.Builder
	inside := false // of a word
	var now quoting
	for i := range len(line) {
		before := now
		now.next(line[i])
		switch {
		case !before.escaped && now != before: // a quote or a backslash
			inside = true
		case now.quote == 0 && !before.escaped && strings.IndexByte(" \t\n", line[i]) >= 0:
			if inside {
				words = append(words, b.String())
				b.Reset()
				inside = false
			}
		default:
			b.WriteByte(line[i])
			inside = true
		}
	}
	if inside {
		words = append(words, b.String())
	}
	return words
}

// Quote writes a value as one word of a shell.
func Quote(value string) string { return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'" }
