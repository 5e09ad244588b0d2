// Package vim implements the keys of Vim for the prompt: modes, motions, operators, counts, text objects,
// visual mode, and repeating the last change. The unnamed register is the editor's killed text. The package
// is a state machine on an editor, without a screen.
package vim

import (
	"slices"
	"strings"

	"agent/internal/tui/edit"
)

// Mode determines the meaning of keys.
type Mode int

// The modes; a prompt begins in Insert.
const (
	Insert Mode = iota
	Normal
	Visual
	VisualLine
)

// Letter returns the letter that is shown for the mode: I, N, V, or L for visual mode by lines.
func (m Mode) Letter() string { return "INVL"[m : m+1] }

type key struct{ name, text string }

// State holds the mode and the unfinished command of a prompt. The zero value is insert mode.
type State struct {
	Mode Mode
	// pending holds the keys of an unfinished command.
	pending []string
	// anchor is the position at which visual mode began, in bytes.
	anchor int
	// lines is the latest cut text if it consisted of whole lines, or "" otherwise.
	lines string
	found find
	// marks maps the names of marks to positions, in bytes.
	marks map[string]int
	// over is set while typing replaces the text at the cursor.
	over bool
	// mark is the number of changes that existed when the current command or insert mode began.
	mark int
	// change holds the keys of the unfinished change. last holds the keys of the latest finished change.
	// again is set while last is repeated.
	change, last []key
	again        bool
}

// StartInsert starts insert mode, for a new prompt.
func (s *State) StartInsert() {
	s.Mode, s.over, s.marks, s.pending, s.change = Insert, false, nil, nil, nil
}

// SelectedRange returns the range of visual mode, in bytes, or an empty range in other modes.
func (s *State) SelectedRange(e *edit.Editor) (from, to int) {
	if s.Mode != Visual && s.Mode != VisualLine {
		return 0, 0
	}
	t := textOf(e)
	a, b := s.selection(t, t.index(e.Cursor))
	return t.at[a], t.at[b]
}

// selection returns the range of visual mode, in characters.
func (s *State) selection(t text, i int) (from, to int) {
	a := t.index(s.anchor)
	a, i = min(a, i), max(a, i)
	if s.Mode == VisualLine {
		return t.lineStart(a), t.lineEnd(i)
	}
	return a, min(i+1, t.len())
}

// Key handles a key, given by its name and its typed text. It returns the action of the prompt for the key,
// or "". taken is false for a key without a meaning in Vim.
func (s *State) Key(e *edit.Editor, name, typed string) (action string, taken bool) {
	if s.Mode == Insert {
		return "", s.insertKey(e, name, typed)
	}
	if typed == "" {
		switch waits := len(s.pending) > 0 || s.Mode != Normal; {
		case name == "esc" && waits:
			s.Mode, s.pending, s.change = Normal, nil, nil
			s.ClampCursor(e)
			return "", true
		case name == "ctrl+r":
			typed, s.pending = name, nil
		case slices.Contains([]string{"left", "right", "up", "down", "home", "end", "backspace"}, name):
			typed, s.pending = name, nil
		default:
			s.pending, s.change = nil, nil
			return "", false
		}
	}
	s.pending = append(s.pending, typed)
	s.change = append(s.change, key{name, typed})
	c, done := parse(s.pending, s.Mode != Normal)
	if !done {
		return "", true
	}
	s.pending = nil
	before := e.Text
	action = s.do(e, c)
	s.ClampCursor(e)
	switch {
	case s.Mode == Normal && e.Text != before && c.motion != "u" && c.motion != "ctrl+r" && c.motion != ".":
		s.done()
	case s.Mode == Normal:
		s.change = nil
	}
	return action, true
}

// done stores the finished change for repeating.
func (s *State) done() {
	if !s.again {
		s.last = s.change
	}
	s.change = nil
}

// insertKey handles a key of insert mode. It handles only Esc, except in replace mode, and records all
// other keys for repeating. The editor handles those keys.
func (s *State) insertKey(e *edit.Editor, name, typed string) (taken bool) {
	if name != "esc" {
		if s.change != nil && (typed != "" || name == "backspace") {
			s.change = append(s.change, key{name, typed})
		}
		return s.over && s.replace(e, name, typed)
	}
	s.Mode, s.over = Normal, false
	if s.change != nil {
		e.JoinUndo(s.mark)
		s.done()
	}
	if t := textOf(e); t.index(e.Cursor) > t.lineStart(t.index(e.Cursor)) {
		e.Left()
	}
	return true
}

// replace replaces the text at the cursor by the typed text. It returns false at the end of a line, where
// typing works like in insert mode.
func (s *State) replace(e *edit.Editor, name, typed string) bool {
	t := textOf(e)
	i := t.index(e.Cursor)
	switch {
	case name == "backspace":
		e.Cursor = t.at[max(t.lineStart(i), i-1)]
		return true
	case typed == "" || i == t.lineEnd(i):
		return false
	}
	e.Splice(t.at[i], t.at[i+1], typed)
	e.Cursor = t.at[i] + len(typed)
	return true
}

// ClampCursor moves the cursor to a position that the mode allows.
func (s *State) ClampCursor(e *edit.Editor) {
	if s.Mode != Insert {
		t := textOf(e)
		e.Cursor = t.at[t.rest(t.index(e.Cursor))]
	}
}

// insert starts insert mode at a position.
func (s *State) insert(e *edit.Editor, at int) { e.Cursor, s.Mode = at, Insert }

// do runs a command and returns the action of the prompt for it, or "".
func (s *State) do(e *edit.Editor, c command) (action string) {
	t := textOf(e)
	i := t.index(e.Cursor)
	s.mark = e.ChangeCount()
	switch {
	case s.Mode != Normal:
		s.doVisual(e, t, i, c)
	case c.operator != "":
		if from, to, lines, ok := s.target(t, c, i); ok {
			s.operate(e, t, c.operator, from, to, lines)
		}
	default:
		return s.doNormal(e, t, i, c)
	}
	return ""
}

// shortOf maps commands to the operator and motion that they stand for.
var shortOf = map[string]command{
	"x": {operator: "d", motion: "l"}, "X": {operator: "d", motion: "h"}, "D": {operator: "d", motion: "$"}, "C": {operator: "c", motion: "$"},
	"Y": {operator: "y", motion: "y"}, "s": {operator: "c", motion: "l"}, "S": {operator: "c", motion: "c"}, "~": {operator: "g~", motion: "l"},
}

// doNormal runs a command without an operator.
func (s *State) doNormal(e *edit.Editor, t text, i int, c command) (action string) {
	if short, ok := shortOf[c.motion]; ok {
		short.count = c.count
		if from, to, lines, ok := s.target(t, short, i); ok {
			s.operate(e, t, short.operator, from, to, lines)
			if c.motion == "~" {
				e.Cursor = t.at[to]
			}
		}
		return ""
	}
	switch n := max(1, c.count); c.motion {
	case "i":
		s.insert(e, t.at[i])
	case "I":
		s.insert(e, t.at[t.indent(i)])
	case "a":
		s.insert(e, t.at[min(i+1, t.lineEnd(i))])
	case "A":
		s.insert(e, t.at[t.lineEnd(i)])
	case "o":
		at := t.at[t.lineEnd(i)]
		e.Splice(at, at, "\n")
		s.insert(e, at+1)
	case "O":
		at := t.at[t.lineStart(i)]
		e.Splice(at, at, "\n")
		s.insert(e, at)
	case "v":
		s.Mode, s.anchor = Visual, e.Cursor
	case "V":
		s.Mode, s.anchor = VisualLine, e.Cursor
	case "r":
		if i+n <= t.lineEnd(i) {
			e.Splice(t.at[i], t.at[i+n], strings.Repeat(c.argument, n))
			e.Cursor = t.at[i]
		}
	case "R":
		s.insert(e, t.at[i])
		s.over = true
	case "m":
		if s.marks == nil {
			s.marks = map[string]int{}
		}
		s.marks[c.argument] = e.Cursor
	case "J":
		s.join(e, t, i)
	case "p", "P":
		s.put(e, t, i, c.motion == "p", n)
	case "u":
		for range min(n, e.ChangeCount()) {
			e.Undo()
		}
	case "ctrl+r":
		for range n {
			e.Redo()
		}
	case ".":
		s.repeat(e, n)
	case "/":
		return "search"
	default:
		if m := s.move(t, c, i); m.ok {
			e.Cursor = t.at[m.to]
			return ""
		}
		return map[string]string{"j": "down", "down": "down", "k": "up", "up": "up"}[c.motion]
	}
	return ""
}

// join joins the next line to the current line.
func (s *State) join(e *edit.Editor, t text, i int) {
	end := t.lineEnd(i)
	if end == t.len() {
		return
	}
	to := t.indent(end + 1)
	between := " "
	if t.emptyLine(t.lineStart(i)) || to == t.len() || t.breaks(to) {
		between = ""
	}
	e.Splice(t.at[end], t.at[to], between)
	e.Cursor = t.at[end]
}

// putMost limits the bytes that put inserts for a count.
const putMost = 1 << 20

// put inserts the killed text n times, after or before the cursor.
func (s *State) put(e *edit.Editor, t text, i int, after bool, n int) {
	if e.Killed == "" {
		return
	}
	put := strings.Repeat(e.Killed, max(1, min(n, putMost/len(e.Killed))))
	at := t.at[i]
	switch {
	case s.lines != e.Killed && after:
		at = t.at[min(i+1, t.lineEnd(i))]
	case s.lines != e.Killed:
	case after:
		at = t.at[t.lineEnd(i)]
		e.Splice(at, at, "\n"+strings.TrimSuffix(put, "\n"))
		e.Cursor = at + 1
		return
	default:
		at = t.at[t.lineStart(i)]
		e.Splice(at, at, put)
		e.Cursor = at
		return
	}
	e.Splice(at, at, put)
	e.Left()
}

// repeat makes the last change again, n times.
func (s *State) repeat(e *edit.Editor, n int) {
	if s.again || len(s.last) == 0 {
		return
	}
	s.again, s.change = true, nil
	mark := e.ChangeCount()
	for range min(n, 100) {
		for _, k := range s.last {
			if _, taken := s.Key(e, k.name, k.text); !taken {
				e.Key(k.name, k.text)
			}
		}
		if s.Mode != Normal {
			s.Key(e, "esc", "")
		}
	}
	s.again, s.change = false, nil
	e.JoinUndo(mark)
}

func (s *State) doVisual(e *edit.Editor, t text, i int, c command) {
	from, to := s.selection(t, i)
	lines := s.Mode == VisualLine
	operator := map[string]string{"d": "d", "x": "d", "X": "d", "c": "c", "s": "c", "y": "y", "u": "gu", "U": "gU", "~": "g~", ">": ">", "<": "<"}[c.motion]
	switch {
	case operator != "":
		s.Mode = Normal
		s.operate(e, t, operator, from, to, lines)
	case c.motion == "v" && !lines, c.motion == "V" && lines:
		s.Mode = Normal
	case c.motion == "v":
		s.Mode = Visual
	case c.motion == "V":
		s.Mode = VisualLine
	case c.motion == "o":
		s.anchor, e.Cursor = e.Cursor, t.at[t.index(s.anchor)]
	case c.motion == "p":
		put, whole := e.Killed, s.lines == e.Killed
		s.Mode = Normal
		s.operate(e, t, "d", from, to, false)
		left := textOf(e)
		at := left.at[min(from, left.len())]
		if whole {
			put = strings.TrimSuffix(put, "\n")
		}
		e.Splice(at, at, put)
		e.JoinUndo(s.mark)
	case len(c.motion) == 2 && (c.motion[0] == 'i' || c.motion[0] == 'a'):
		if from, to, ok := t.object(c.motion[0] == 'a', c.motion[1:], i); ok && to > from {
			s.anchor, e.Cursor = t.at[from], t.at[to-1]
		}
	default:
		if m := s.move(t, c, i); m.ok {
			e.Cursor = t.at[m.to]
		}
	}
}
