package vim

import (
	"strings"

	"agent/internal/tui/edit"
)

// doVisual does a command of visual mode.
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
		put, whole := e.Killed, s.lines
		s.Mode = Normal
		s.operate(e, t, "d", from, to, false)
		left := textOf(e)
		at := left.at[min(from, left.len())]
		if whole != "" {
			put = strings.TrimSuffix(put, "\n")
		}
		e.Splice(at, at, put)
		e.Join(s.mark)
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
