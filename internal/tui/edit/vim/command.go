package vim

import (
	"strings"
	"unicode"

	"agent/internal/tui/edit"
)

// target returns the range for an operator at i. lines is set if the range consists of whole lines. ok is
// false if the command has no valid range.
func (s *State) target(t text, c command, i int) (from, to int, lines, ok bool) {
	switch {
	case c.motion == c.operator:
		return t.lineStart(i), t.lineEnd(s.line(t, i, max(1, c.count)-1)), true, true
	case len(c.motion) > 1 && (c.motion[0] == 'i' || c.motion[0] == 'a'):
		from, to, ok = t.object(c.motion[0] == 'a', c.motion[1:], i)
		return from, to, c.motion[1:] == "p", ok
	}
	if c.operator == "c" && (c.motion == "w" || c.motion == "W") && t.class(i, true) != blank {
		c.motion = map[string]string{"w": "e", "W": "E"}[c.motion]
		if end := t.class(i+1, c.motion == "E"); end != t.class(i, c.motion == "E") || i+1 == t.len() {
			c.count-- // the cursor is already at the end of the first word
			if c.count < 1 {
				return i, min(i+1, t.len()), false, true
			}
		}
	}
	m := s.move(t, c, i)
	if !m.ok {
		return 0, 0, false, false
	}
	if c.motion == "w" || c.motion == "W" { // a range up to the next word does not include the line end
		if start := t.lineStart(m.to); start > i && t.indent(m.to) >= m.to {
			m.to = max(i, start-1)
		}
	}
	from, to = min(i, m.to), max(i, m.to)
	switch m.kind {
	case linewise:
		return t.lineStart(from), t.lineEnd(to), true, true
	case inclusive:
		to = min(to+1, t.len())
	}
	return from, to, false, from < to || c.operator == "c"
}

func (s *State) operate(e *edit.Editor, t text, operator string, from, to int, lines bool) {
	cut := t.all[t.at[from]:t.at[to]]
	switch operator {
	case ">", "<":
		from, to = t.lineStart(from), t.lineEnd(to)
		e.Splice(t.at[from], t.at[to], shift(operator, t.all[t.at[from]:t.at[to]]))
		moved := textOf(e)
		e.Cursor = moved.at[moved.indent(from)]
		return
	case "gu", "gU", "g~":
		e.Splice(t.at[from], t.at[to], changeCase(operator, cut))
		e.Cursor = t.at[from]
		return
	}
	e.Killed, s.lines = cut, ""
	if lines {
		e.Killed += "\n"
		s.lines = e.Killed
	}
	switch operator {
	case "y":
		e.Cursor = min(e.Cursor, t.at[from])
		return
	case "c":
		e.Splice(t.at[from], t.at[to], "")
		s.insert(e, t.at[from])
		return
	}
	if lines && to < t.len() {
		to++
	} else if lines && from > 0 {
		from--
	}
	e.Splice(t.at[from], t.at[to], "")
	e.Cursor = min(t.at[from], len(e.Text))
	if lines {
		left := textOf(e)
		e.Cursor = left.at[left.indent(left.index(e.Cursor))]
	}
}

// indentation is the text that > adds to a line and < removes.
const indentation = "    "

// shift indents lines by one step if how is ">", and otherwise removes one step.
func shift(how, text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		switch {
		case how == ">" && line != "":
			lines[i] = indentation + line
		case how == "<":
			kept := strings.TrimLeft(line, " ")
			lines[i] = line[min(len(indentation), len(line)-len(kept)):]
		}
	}
	return strings.Join(lines, "\n")
}

// changeCase returns text in lower or upper case, or with the case of each letter switched.
func changeCase(how, text string) string {
	switch how {
	case "gu":
		return strings.ToLower(text)
	case "gU":
		return strings.ToUpper(text)
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, text)
}

// command is a command of normal or visual mode, parsed from its keys.
type command struct {
	// count is the typed count, or 0 if none was typed.
	count int
	// operator is "" for none. motion is a motion, a text object ("iw"), the operator again for whole
	// lines, or the name of a command without an operator.
	operator, motion string
	// argument is the character after f, F, t, T, r, m, ' or `.
	argument string
}

// operators lists the commands that need a motion.
var operators = []string{"d", "c", "y", "gu", "gU", "g~", ">", "<"}

// parse parses the keys of a command. done is false if more keys are needed.
func parse(keys []string, visual bool) (c command, done bool) {
	n, keys := number(keys)
	op, rest := "", keys
	for _, o := range operators {
		if n := len(o); !visual && len(keys) >= n && strings.Join(keys[:n], "") == o {
			op, rest = o, keys[n:]
		}
	}
	m, rest := number(rest)
	c = command{count: max(n, 1) * max(m, 1), operator: op}
	if n == 0 && m == 0 {
		c.count = 0
	}
	c.count = min(c.count, maxCount)
	if len(rest) == 0 {
		return c, false
	}
	first := rest[0]
	switch {
	case op != "" && first == op[len(op)-1:], op != "" && strings.Join(rest, "") == op:
		c.motion = op
		return c, true
	case op != "" && len(op) > 1 && strings.Join(rest, "") == "g": // gUgU
		return c, false
	case first == "g", (op != "" || visual) && (first == "i" || first == "a"):
		if len(rest) < 2 {
			return c, false
		}
		c.motion = first + rest[1]
	case strings.Contains("fFtTrm'`", first):
		if len(rest) < 2 {
			return c, false
		}
		c.motion, c.argument = first, rest[1]
	default:
		c.motion = first
	}
	return c, true
}

// maxCount is the greatest count that a user may type.
const maxCount = 9999

// number parses a count at the beginning of keys. It returns 0 if there is no count, and the other keys.
func number(keys []string) (n int, rest []string) {
	for len(keys) > 0 && len(keys[0]) == 1 && (keys[0] >= "1" && keys[0] <= "9" || keys[0] == "0" && n > 0) {
		n = min(n*10+int(keys[0][0]-'0'), maxCount)
		keys = keys[1:]
	}
	return n, keys
}
