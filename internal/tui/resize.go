package tui

import "time"

// settleTime is the time for which the window size must not change before the window is painted again.
// While the user drags the window, every paint would use an outdated size.
const settleTime = 60 * time.Millisecond

// resize tracks the size of the window.
type resize struct {
	surface *surface
	change  change
}

// change is an ongoing change of the window's size.
type change struct {
	// until is the time at which the size counts as settled, or zero if no change is continuing.
	until         time.Time
	width, height int
	// lowest is the smallest height of the window during the change. turned is set if its width has
	// changed.
	lowest int
	turned bool
	// painted is the height, in rows, of the tallest live part that was painted recently.
	painted int
}

// safeRows is the height of a live part that fits every window, even a window that was briefly lower
// without a report.
const safeRows = 6

// resizedMsg reports that the window may have a new size. painted is the height, in rows, of the tallest
// live part that was painted recently.
type resizedMsg struct{ width, height, painted int }

// to records a new size of the window.
func (r *resize) to(width, height, painted int) {
	c := &r.change
	if width == r.surface.width && height == r.surface.height && c.until.IsZero() && painted <= safeRows {
		return
	}
	if c.until.IsZero() {
		c.lowest = r.surface.height
	}
	c.until = r.surface.now().Add(settleTime)
	c.width, c.height = width, height
	c.lowest = min(c.lowest, height)
	c.turned = c.turned || width != r.surface.width
	c.painted = max(c.painted, painted)
}

// settle ends a size change after settleTime. It requests a new layout of everything if the terminal may
// have broken rows, or moved live rows out of the window.
func (r *resize) settle() {
	c := r.change
	if c.until.IsZero() || r.surface.now().Before(c.until) {
		return
	}
	r.change = change{}
	r.surface.again = r.surface.again || c.turned || c.painted > safeRows || c.lowest <= c.painted
	r.surface.width, r.surface.height = c.width, c.height
}

// settling reports whether painting is suspended.
func (r *resize) settling() bool { return !r.change.until.IsZero() }
