// Package transcript stores the finished parts of the conversation as entries, not rows, so that they can
// be laid out again. An entry is sent to the terminal's scrollback once. When the window changes its size,
// the stored entries are laid out again.
package transcript

import (
	"slices"

	"agent/internal/tui/style"
)

// Kind is the kind of an entry. It determines the blank lines around the entry.
type Kind int

// The kinds of entry.
const (
	// KindLine is a line that reports an event: a tool, a notice.
	KindLine Kind = iota + 1
	// KindText is a text to read: a message, a block of the reply.
	KindText
	// KindContinuation continues the previous entry, without a blank line.
	KindContinuation
)

// Layout lays out an entry for a theme, in rows of width cells if possible.
type Layout func(t *style.Theme, width int) []string

// Rows returns an entry whose rows are the same at every width.
func Rows(rows ...string) Layout { return func(*style.Theme, int) []string { return rows } }

// keptRows is the number of rows that are kept for a new layout. Most terminals keep fewer, so that a
// repaint loses no visible row.
const keptRows = 4000

// entry is a finished entry, with the number of its rows in the latest layout.
type entry struct {
	kind Kind
	lay  Layout
	rows int
}

// Transcript holds the latest entries, and the rows that wait to be printed. The zero value is empty. It
// must be used by one goroutine.
type Transcript struct {
	entries []entry
	rows    int
	last    Kind
	waiting []string
	// growing is the unfinished entry, or nil for none.
	growing *growing
}

// Add adds a finished entry. Entries of kind KindText have a blank line before and after them. While another
// entry grows, the new entry waits for its end.
func (s *Transcript) Add(kind Kind, lay Layout, t *style.Theme, width int) {
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

// keep stores an entry with its number of rows, for a new layout.
func (s *Transcript) keep(kind Kind, lay Layout, rows int) {
	s.entries = append(s.entries, entry{kind, lay, rows})
	s.rows += rows
	if kind != KindContinuation {
		s.last = kind
	}
	s.forget()
}

// place adds a blank line before rows if they need one.
func (s *Transcript) place(kind Kind, rows []string, last Kind) []string {
	if len(rows) > 0 && last != 0 && kind != KindContinuation && (kind == KindText || kind != last) {
		return append([]string{""}, rows...)
	}
	return rows
}

// forget removes the oldest entries beyond keptRows.
func (s *Transcript) forget() {
	n := 0
	for n < len(s.entries)-1 && s.rows-s.entries[n].rows >= keptRows {
		s.rows -= s.entries[n].rows
		n++
	}
	s.entries = slices.Delete(s.entries, 0, n)
}

// TakeRows returns the rows that wait to be printed, and removes them.
func (s *Transcript) TakeRows() []string {
	rows := s.waiting
	s.waiting = nil
	return rows
}

// LayOutAgain lays out all kept entries again, and drops the waiting rows. It drops a growing entry, so
// that Grow starts it again. Entries added in the meantime then precede it.
func (s *Transcript) LayOutAgain(t *style.Theme, width int) []string {
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
		if e.kind != KindContinuation {
			last = e.kind
		}
	}
	return all
}

// Len returns the number of kept rows.
func (s *Transcript) Len() int { return s.rows }

// growing is an unfinished entry whose first rows were already printed.
type growing struct {
	kind Kind
	// given holds the printed rows, with the blank line before them. blank is set if there is a blank line.
	given []string
	blank bool
	// held holds the entries that were added in the meantime.
	held []entry
}

// Grow prints the first rows of an unfinished entry. These rows must not change any more.
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

// rows returns the number of printed rows of the entry.
func (g *growing) rows() int {
	if g.blank {
		return len(g.given) - 1
	}
	return len(g.given)
}

// IsGrowing reports whether an entry is unfinished.
func (s *Transcript) IsGrowing() bool { return s.growing != nil }

// GrownRows returns the number of printed rows of the unfinished entry.
func (s *Transcript) GrownRows() int {
	if s.growing == nil {
		return 0
	}
	return s.growing.rows()
}

// Finish ends the growing entry. It prints the rest of the entry, and then the entries added in the
// meantime. It returns false if the entry differs from the rows printed before. Then everything must be
// printed again.
func (s *Transcript) Finish(lay Layout, t *style.Theme, width int) (same bool) {
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

// add adds the entries that have waited for the end of the growing entry.
func (s *Transcript) add(held []entry, t *style.Theme, width int) {
	for _, e := range held {
		s.Add(e.kind, e.lay, t, width)
	}
}
