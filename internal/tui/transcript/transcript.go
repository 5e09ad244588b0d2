// Package transcript is what was said and done so far, as it can be laid out again:
// entries, not rows. What is finished is sent to the terminal's scrollback once; when the
// window changes its size, the entries that are kept are laid out anew for it.
package transcript

import (
	"slices"

	"agent/internal/tui/style"
)

// Kind says what an entry is; it decides where blank lines go.
type Kind int

// The kinds of entry.
const (
	// Line is one of the lines that say what happened: tools, notices.
	Line Kind = iota + 1
	// Text is something to read: a message, a block of the reply.
	Text
	// More continues with the entry before, without a blank line.
	More
)

// Lay arranges an entry for a theme, in rows of width cells where it can.
type Lay func(t *style.Theme, width int) []string

// Rows is an entry of rows that are what they are at every width.
func Rows(rows ...string) Lay { return func(*style.Theme, int) []string { return rows } }

// keptRows is how many rows are kept to be laid out again. It is more than most
// terminals keep, so that what is repainted is all there is to see.
const keptRows = 4000

// entry is something finished, and how many rows it had when it was laid out last.
type entry struct {
	kind Kind
	lay  Lay
	rows int
}

// Transcript holds the latest entries, and the rows that wait to be printed. The zero
// value is empty. It belongs to one goroutine.
type Transcript struct {
	entries []entry
	rows    int
	last    Kind
	waiting []string
	// growing is the entry that is not finished, nil for none.
	growing *growing
}

// Add adds a finished entry. Entries to read have a blank line around them. While
// another one grows it waits for the end of that.
func (s *Transcript) Add(kind Kind, lay Lay, t *style.Theme, width int) {
	if s.growing != nil {
		s.growing.held = append(s.growing.held, entry{kind: kind, lay: lay})
		return
	}
	rows := s.place(kind, lay(t, width), s.last)
	if len(rows) == 0 {
		return
	}
	s.waiting = append(s.waiting, rows...)
	s.keep(kind, lay, len(rows))
}

// keep remembers an entry of that many rows, to be laid out again.
func (s *Transcript) keep(kind Kind, lay Lay, rows int) {
	s.entries = append(s.entries, entry{kind, lay, rows})
	s.rows += rows
	if kind != More {
		s.last = kind
	}
	s.forget()
}

// place puts the blank line before rows that they need.
func (s *Transcript) place(kind Kind, rows []string, last Kind) []string {
	if len(rows) > 0 && last != 0 && kind != More && (kind == Text || kind != last) {
		return append([]string{""}, rows...)
	}
	return rows
}

// forget drops the oldest entries beyond keptRows.
func (s *Transcript) forget() {
	n := 0
	for n < len(s.entries)-1 && s.rows-s.entries[n].rows >= keptRows {
		s.rows -= s.entries[n].rows
		n++
	}
	s.entries = slices.Delete(s.entries, 0, n)
}

// Take removes the rows that wait to be printed.
func (s *Transcript) Take() []string {
	rows := s.waiting
	s.waiting = nil
	return rows
}

// Again arranges everything that is kept anew, in place of what waits. Of an entry that
// grows nothing is given then; what was added meanwhile comes before it.
func (s *Transcript) Again(t *style.Theme, width int) []string {
	if g := s.growing; g != nil {
		s.growing = nil
		s.add(g.held, t, width)
	}
	s.waiting, s.rows = nil, 0
	var all []string
	var last Kind
	for i := range s.entries {
		e := &s.entries[i]
		rows := s.place(e.kind, e.lay(t, width), last)
		e.rows = len(rows)
		s.rows += len(rows)
		all = append(all, rows...)
		if e.kind != More {
			last = e.kind
		}
	}
	return all
}

// Len is how many rows are kept.
func (s *Transcript) Len() int { return s.rows }

// growing is the entry that is not finished, of which the first rows have been given to
// be printed.
type growing struct {
	kind Kind
	// given are those rows, with the blank line before them; blank is set when there is
	// one.
	given []string
	blank bool
	// held are the entries that were added meanwhile.
	held []entry
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

// Growing reports whether there is an entry that is not finished.
func (s *Transcript) Growing() bool { return s.growing != nil }

// Grown is how many rows of the entry that is not finished were given to be printed.
func (s *Transcript) Grown() int {
	if s.growing == nil {
		return 0
	}
	return s.growing.rows()
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
	s.add(g.held, t, width)
	return same
}

// add adds the entries that waited for the end of another.
func (s *Transcript) add(held []entry, t *style.Theme, width int) {
	for _, e := range held {
		s.Add(e.kind, e.lay, t, width)
	}
}
