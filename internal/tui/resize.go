package tui

import "time"

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
	// painted is how many rows the tallest live part had that was painted lately.
	painted int
}

// safeRows is the height of a live part that every window has had room for, also one
// whose lowest size nobody heard of.
const safeRows = 6

// resizedMsg says that the window may have another size. painted is how many rows the
// tallest live part had that was painted in it lately.
type resizedMsg struct{ width, height, painted int }

// resized takes a new size of the window.
func (m *Model) resized(width, height, painted int) {
	r := &m.resize
	if width == m.width && height == m.height && r.until.IsZero() && painted <= safeRows {
		return
	}
	if r.until.IsZero() {
		r.lowest = m.height
	}
	r.until = m.opts.Now().Add(settleTime)
	r.width, r.height = width, height
	r.lowest = min(r.lowest, height)
	r.turned = r.turned || width != m.width
	r.painted = max(r.painted, painted)
}

// settle ends a change of size once its time is up. Everything is laid out again when
// the terminal may have broken rows, or pushed part of what is live out of the window.
func (m *Model) settle() {
	r := m.resize
	if r.until.IsZero() || m.opts.Now().Before(r.until) {
		return
	}
	m.resize = resize{}
	m.again = m.again || r.turned || r.painted > safeRows || r.lowest <= r.painted
	m.width, m.height = r.width, r.height
}

// settling reports whether nothing is to be painted for now.
func (m *Model) settling() bool { return !m.resize.until.IsZero() }
