// Package template inserts arguments, files and the output of commands into the text of a command
// or a skill. It makes one pass: placeholders in inserted text are not replaced.
package template

import (
	"strconv"
	"strings"
)

// Part is a piece of a filled-in text: a text, a file or a command.
type Part struct {
	// Text is text for the model.
	Text string
	// File is the path of a file to include.
	File string
	// Command is a shell command to run.
	Command string
	// Refused is the reason why Command must not run, empty if it may.
	Refused string
	// Written is Command as it is in the template, without arguments filled in.
	Written string
}

// Template is a text with placeholders.
type Template struct {
	Text string
	// Names lists the names of the arguments, in order.
	Names []string
	// Braces is set if the placeholders of gemini-cli are also allowed: {{args}}, !{…}, @{…}.
	Braces bool
	// Dir replaces ${CLAUDE_SKILL_DIR}. It is empty for a command.
	Dir string
}

// Fill fills in the arguments of a line. If the template has no placeholder for arguments, they are
// appended to the text after an empty line.
func (t Template) Fill(line string) []Part {
	f := &filler{Template: t, line: strings.TrimSpace(line), words: SplitWords(line)}
	f.pass()
	if !f.used && f.line != "" {
		f.text.WriteString("\n\n" + f.line)
	}
	f.flush()
	return f.parts
}

// Commands returns the shell commands in the template, without arguments filled in.
func (t Template) Commands() []string {
	var lines []string
	for _, part := range t.Fill("") {
		if part.Written != "" {
			lines = append(lines, part.Written)
		}
	}
	return lines
}

type filler struct {
	Template
	line  string
	words []string

	parts []Part
	text  strings.Builder
	// used is set if the template has a placeholder for an argument.
	used bool
}

func (f *filler) flush() {
	if f.text.Len() > 0 {
		f.parts = append(f.parts, Part{Text: f.text.String()})
		f.text.Reset()
	}
}

func (f *filler) pass() {
	rest := f.Text
	start := true // at the start of a word
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

// place replaces the placeholder at the start of a text and returns its length, or 0 if there is
// none.
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

// command adds a shell command. Arguments in it are quoted, so that each is one word of the shell.
func (f *filler) command(line string) {
	f.flush()
	part := Part{Written: line}
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
				part.Refused = "an argument within $(…), ${…}, <<… or backticks may contain only letters, digits and ./:@%+,=_-"
			}
			value = quotes.requote(Quote(value))
		}
		b.WriteString(value)
		line = line[n:]
	}
	part.Command = b.String()
	f.parts = append(f.parts, part)
}

// plain lists the characters that have no meaning to a shell.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./:@%+,=_-"

// quoting tracks the open quote in a shell command.
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

// requote prepares a quoted word for use inside open quotes. It closes the quotes before the word
// and reopens them after it.
func (q *quoting) requote(word string) string {
	if q.quote == 0 {
		return word
	}
	return string(q.quote) + word + string(q.quote)
}

// value returns the value of the variable at the start of a text, and the length of the variable, 0
// if there is none. argument reports whether a user typed the value.
func (f *filler) value(rest string) (value string, length int, argument bool) {
	const dir, all, braces = "${CLAUDE_SKILL_DIR}", "$ARGUMENTS", "{{args}}"
	switch {
	case f.Braces && strings.HasPrefix(rest, braces):
		return f.line, len(braces), true
	case f.Dir != "" && strings.HasPrefix(rest, dir):
		return f.Dir, len(dir), false
	case strings.HasPrefix(rest, all+"["):
		n, digits := number(rest[len(all)+1:])
		if digits > 0 && strings.HasPrefix(rest[len(all)+1+digits:], "]") && n < len(f.words) {
			return f.words[n], len(all) + digits + 2, true
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

// number returns the number at the beginning of a text. digits is the count of its digits.
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

// closing returns the index of the closing brace for the brace at the start of a text, or -1.
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

// word returns the path at the start of a text, without punctuation at its end.
func word(s string) string {
	if end := strings.IndexAny(s, " \t\n`\"'"); end >= 0 {
		s = s[:end]
	}
	return strings.TrimRight(s, ".,;:)")
}

// SplitWords splits a line as a shell does. Quotes and backslashes protect blanks. An open quote ends
// with the line.
func SplitWords(line string) []string {
	var words []string
	var b strings.Builder
	inside := false // inside a word
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

// Quote quotes a value as one word of a shell.
func Quote(value string) string { return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'" }
