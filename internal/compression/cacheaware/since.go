package cacheaware

import "math"

// What may go and stays is paid for with every request. How long that has gone on says
// whether the next cut should go back so far (see waitShare).

// freeSince is the request since which nothing is lost with a free unit.
func (e *Engine) freeSince(at int, u *unit) int {
	f := u.fact
	var since int
	switch {
	case u.state == current:
		since = e.oldSince(at, u)
	case (f.act == Edit || f.act == Write) && !f.ok:
		since = u.sent + failedFor
	case u.part == oldText:
		since = e.edits[f.editsBefore+keptEdits]
	case u.part == result && f.repeats:
		since = u.sent
	default:
		since = f.coveredAt
	}
	return max(since, u.sent+1)
}

// oldSince is the request since which a folded copy is not the newest text of its file.
func (e *Engine) oldSince(at int, u *unit) int {
	if since, ok := e.outdated(u); ok {
		return since
	}
	if newer := u.folded.copy; newer != at && newer >= 0 {
		return e.units[newer].foldedAt
	}
	return e.request
}

// outdated finds the request since which a later call shows the whole file of a folded
// copy.
func (e *Engine) outdated(u *unit) (since int, ok bool) {
	facts := u.folded.facts
	for i := len(facts) - 1; i >= 0 && e.units[facts[i].result].sent > u.foldedAt; i-- {
		if later := facts[i]; later.ok && (later.act == Write || later.wholeView()) {
			since, ok = e.units[later.result].sent, true
		}
	}
	return since, ok
}

// coldSince is the request since which a unit is idle for as long as its patience, which
// may have shrunk when a human spoke.
func (e *Engine) coldSince(u *unit, patience float64) int {
	last := e.request - e.idle(u)
	since := last + int(math.Ceil(patience))
	if e.human > last {
		since = max(since, e.human)
	}
	return min(since, e.request)
}
