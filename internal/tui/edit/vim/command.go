package vim

import "strings"

// command is what was typed in normal or visual mode, taken apart.
type command struct {
	// count is 0 when none was typed.
	count int
	// operator is "" for none, motion is a motion, a text object ("iw"), the operator again
	// for lines, or a command by itself.
	operator, motion string
	// argument is the character after f, t, r, m and their like.
	argument string
}

// operators wait for a motion.
var operators = []string{"d", "c", "y", "gu", "gU", "g~", ">", "<"}

// parse takes the keys of a command apart. done is false while more is to come; a command
// that cannot become one has no motion.
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

// maxCount bounds counts: nobody means more.
const maxCount = 9999

// number takes a count from the beginning of keys, 0 for none.
func number(keys []string) (n int, rest []string) {
	for len(keys) > 0 && len(keys[0]) == 1 && (keys[0] >= "1" && keys[0] <= "9" || keys[0] == "0" && n > 0) {
		n = min(n*10+int(keys[0][0]-'0'), maxCount)
		keys = keys[1:]
	}
	return n, keys
}
