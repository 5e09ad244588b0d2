package term

import "time"

// heardWithin is how late the program may hear of a change of the window's size, with a
// machine under load and a terminal that collects changes.
const heardWithin = 5 * time.Second

// tallest is the tallest live part that was painted lately: the window may have been
// lower than that before the program hears of it.
type tallest struct {
	rows int
	at   time.Time
}

// measure notes the height of the live part.
func (t *tallest) measure(rows int, now time.Time) {
	if rows >= t.rows || now.Sub(t.at) > heardWithin {
		*t = tallest{rows, now}
	}
}

// Tallest is how many rows the tallest live part had that may have been painted in a
// window of another size than the one it was made for, for a person that hears of it now.
func (s *Screen) Tallest(now time.Time) int {
	s.painting.Lock()
	defer s.painting.Unlock()
	s.tallest.measure(len(s.live), now)
	return s.tallest.rows
}
