package vim

// kind determines which characters an operator with a motion covers.
type kind int

const (
	exclusive kind = iota
	inclusive
	linewise
)

// motion is the result of a motion: its end, and whether the motion is possible.
type motion struct {
	to   int
	kind kind
	ok   bool
}

// move carries out the motion of a command from i. The command's count is 0 if none was typed.
func (s *State) move(t text, c command, i int) motion {
	n := max(1, c.count)
	repeat := func(step func(int) int, k kind) motion {
		to := i
		for range min(n, t.len()+1) {
			to = step(to)
		}
		return motion{to, k, true}
	}
	switch c.motion {
	case "h", "left", "backspace":
		to := max(t.lineStart(i), i-n)
		return motion{to, exclusive, to != i || c.operator == ""}
	case "l", "right", " ":
		return motion{min(t.lineEnd(i), i+n), exclusive, true}
	case "0", "home":
		return motion{t.lineStart(i), exclusive, true}
	case "^", "_":
		return motion{t.indent(i), exclusive, true}
	case "$", "end":
		end := t.lineEnd(s.line(t, i, n-1))
		return motion{end, exclusive, true}
	case "j", "down", "k", "up":
		by := n
		if c.motion == "k" || c.motion == "up" {
			by = -n
		}
		line := s.line(t, i, by)
		if line == t.lineStart(i) {
			return motion{}
		}
		return motion{min(line+i-t.lineStart(i), t.lineEnd(line)), linewise, true}
	case "gg", "G":
		line := 0
		if c.motion == "G" && c.count == 0 {
			line = t.lineStart(t.len())
		} else {
			line = s.line(t, 0, n-1)
		}
		return motion{t.indent(line), linewise, true}
	case "w", "W":
		return repeat(func(i int) int { return t.nextWord(i, c.motion == "W") }, exclusive)
	case "e", "E":
		return repeat(func(i int) int { return min(t.wordEnd(i, c.motion == "E"), max(0, t.len()-1)) }, inclusive)
	case "b", "B":
		return repeat(func(i int) int { return t.wordStart(i, c.motion == "B") }, exclusive)
	case "ge", "gE":
		return repeat(func(i int) int { return t.endBefore(i, c.motion == "gE") }, inclusive)
	case "{":
		return repeat(func(i int) int { return t.paragraph(i, -1) }, exclusive)
	case "}":
		return repeat(func(i int) int { return t.paragraph(i, 1) }, exclusive)
	case "%":
		to, ok := t.pair(i)
		return motion{to, inclusive, ok}
	case "f", "F", "t", "T":
		s.found = find{c.motion, c.argument}
		return s.find(t, s.found, i, n)
	case "'", "`":
		at, ok := s.marks[c.argument]
		to := t.index(at)
		if c.motion == "'" {
			return motion{t.indent(to), linewise, ok}
		}
		return motion{to, exclusive, ok}
	case ";":
		return s.find(t, s.found, i, n)
	case ",":
		return s.find(t, s.found.back(), i, n)
	}
	return motion{}
}

// line returns the start of the line that is by lines after i. If the text ends earlier, it returns the
// start of the first or last line.
func (s *State) line(t text, i, by int) int {
	i = t.lineStart(i)
	for ; by > 0 && t.lineEnd(i) < t.len(); by-- {
		i = t.lineEnd(i) + 1
	}
	for ; by < 0 && i > 0; by++ {
		i = t.lineStart(i - 1)
	}
	return i
}

// find is a search for a character in the line, by f, F, t or T.
type find struct{ how, char string }

// back returns the same search in the other direction.
func (f find) back() find {
	f.how = map[string]string{"f": "F", "F": "f", "t": "T", "T": "t"}[f.how]
	return f
}

func (s *State) find(t text, f find, i, n int) motion {
	by, k := 1, inclusive
	if f.how == "F" || f.how == "T" {
		by, k = -1, exclusive
	}
	at := i
	till := f.how == "t" || f.how == "T"
	if till && t.char(i+by) == f.char && n == 1 && f == s.found {
		at += by // the previous search ended just before this character
	}
	for f.how != "" {
		at += by
		if at < 0 || at >= t.len() || t.breaks(at) {
			break
		}
		if t.char(at) == f.char {
			if n--; n > 0 {
				continue
			}
			if till {
				at -= by
			}
			return motion{at, k, true}
		}
	}
	return motion{}
}
