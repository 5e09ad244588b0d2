package transcript

import (
	"slices"

	"agent/internal/tui/style"
)

// growing is the entry that is not finished, of which the first rows have been given to
// be printed.
type growing struct {
	kind Kind
	// given are those rows, with the blank line before them; blank is set when there is
	// one.
	given []string
	blank bool
	// held are the entries that were added meanwhile.
	held []heldEntry
}

type heldEntry struct {
	kind Kind
	lay  Lay
}

// Grow gives the first rows of an entry that is not finished to be printed: they will
// stay as they are.
func (s *Transcript) Grow(kind Kind, rows []string) {
	g := s.growing
	if g == nil {
		g = &growing{kind: kind}
		s.growing = g
		placed := s.place(kind, rows, s.last)
		g.blank = len(placed) > len(rows)
		g.given = slices.Clone(placed)
		s.waiting = append(s.waiting, placed...)
		return
	}
	more := rows[g.rows():]
	g.given = append(g.given, more...)
	s.waiting = append(s.waiting, more...)
}

// rows is how many rows of the entry were given.
func (g *growing) rows() int {
	if g.blank {
		return len(g.given) - 1
	}
	return len(g.given)
}

// Grown is how many rows of the entry that is not finished were given to be printed;
// growing is false when there is no such entry.
func (s *Transcript) Grown() (rows int, growing bool) {
	if s.growing == nil {
		return 0, false
	}
	return s.growing.rows(), true
}

// Finish ends the entry that grows: what is left of it is printed, and what was added
// meanwhile. It reports false when it has become something else than was printed; then
// everything is to be printed again.
func (s *Transcript) Finish(lay Lay, t *style.Theme, width int) (same bool) {
	g := s.growing
	s.growing = nil
	rows := s.place(g.kind, lay(t, width), s.last)
	same = len(rows) >= len(g.given) && slices.Equal(rows[:len(g.given)], g.given)
	if same {
		s.waiting = append(s.waiting, rows[len(g.given):]...)
	}
	s.keep(g.kind, lay, len(rows))
	for _, held := range g.held {
		s.Add(held.kind, held.lay, t, width)
	}
	return same
}
