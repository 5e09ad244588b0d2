package tui

import (
	"time"

	"agent/internal/tui/transcript"
)

// settleTime is how long a window must keep its size to be painted again: while it is
// dragged, every paint would be for a size that is gone.
const settleTime = 60 * time.Millisecond

// resize is a change of the window's size that goes on.
type resize struct {
	// until is when it has settled, the zero time when none goes on.
	until         time.Time
	width, height int
	// lowest is the lowest that the window has been, and turned whether its width
	// was ever another.
	lowest int
	turned bool
}

// heardWithin is how late the program may hear of a change of the window's size.
const heardWithin = time.Second

// tallest is the tallest live part that may have been painted since the window has
// the size that was heard of last.
type tallest struct {
	rows int
	at   time.Time
}

// measure notes the height of the live part. A tall one may have been painted in a
// window that was low already, and is gone when the program hears of it.
func (t *tallest) measure(before, rows int, now time.Time) {
	if now.Sub(t.at) > heardWithin {
		*t = tallest{before, now}
	}
	if rows >= t.rows {
		*t = tallest{rows, now}
	}
}

// resized takes a new size of the window.
func (m *Model) resized(width, height int) {
	r := &m.resize
	if width == m.width && height == m.height && r.until.IsZero() {
		return
	}
	if r.until.IsZero() {
		r.lowest = m.height
	}
	r.until = m.opts.Now().Add(settleTime)
	r.width, r.height = width, height
	r.lowest = min(r.lowest, height)
	r.turned = r.turned || width != m.width
}

// settle ends a change of size once its time is up. Everything is laid out again when
// the terminal may have broken rows, or pushed part of what is live out of the window.
func (m *Model) settle() {
	r := m.resize
	if r.until.IsZero() || m.opts.Now().Before(r.until) {
		return
	}
	m.resize = resize{}
	m.again = m.again || r.turned || r.lowest <= m.tallest.rows
	m.width, m.height = r.width, r.height
}

// settling reports whether nothing is to be painted for now.
func (m *Model) settling() bool { return !m.resize.until.IsZero() }

// print adds a finished entry to the transcript.
func (m *Model) print(kind transcript.Kind, lay transcript.Lay) {
	m.endReads()
	m.transcript.Add(kind, lay, m.theme, m.columns())
}
