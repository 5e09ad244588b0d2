package tui

import "time"

// settleTime is how long a window must keep its size to be painted again: while it is
// dragged, every paint would be for a size that is gone.
const settleTime = 60 * time.Millisecond

// resize follows the window's size.
type resize struct {
	*surface
	change change
}

// change is a change of the window's size that continues.
type change struct {
	// until is when it has settled, the zero time when none continues.
	until         time.Time
	width, height int
	// lowest is the lowest that the window has been, and turned whether its width
	// was ever another.
	lowest int
	turned bool
	// painted is how many rows the tallest live part had that was painted lately.
	painted int
}

// safeRows is the height of a live part for which every window has had room, also one that
// was lower for a moment without a report.
const safeRows = 6

// resizedMsg says that the window may have another size. painted is how many rows the
// tallest live part had that was painted in it lately.
type resizedMsg struct{ width, height, painted int }

// to takes a new size of the window.
func (r *resize) to(width, height, painted int) {
	c := &r.change
	if width == r.width && height == r.height && c.until.IsZero() && painted <= safeRows {
		return
	}
	if c.until.IsZero() {
		c.lowest = r.height
	}
	c.until = r.opts.Now().Add(settleTime)
	c.width, c.height = width, height
	c.lowest = min(c.lowest, height)
	c.turned = c.turned || width != r.width
	c.painted = max(c.painted, painted)
}

// settle ends a change of size once its time is up. Everything is laid out again when
// the terminal may have broken rows, or pushed part of what is live out of the window.
func (r *resize) settle() {
	c := r.change
	if c.until.IsZero() || r.opts.Now().Before(c.until) {
		return
	}
	r.change = change{}
	r.again = r.again || c.turned || c.painted > safeRows || c.lowest <= c.painted
	r.width, r.height = c.width, c.height
}

// settling reports whether nothing is to be painted for now.
func (r *resize) settling() bool { return !r.change.until.IsZero() }
