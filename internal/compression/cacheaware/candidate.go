package cacheaware

import "agent/internal/history"

// candidate is a unit that may go, why, and if that is hard, since which request.
type candidate struct {
	unit  int
	why   Why
	since int
	// along is set for what causes no cut, and only goes along with one.
	along bool
}

// hard reports whether the candidate may cause a cut; soft ones only go along.
func (c candidate) hard() bool { return !c.along }

// keptEdits is how many of the newest edits keep their old text.
const keptEdits = 3

// failedFor is for how many requests the arguments and the answer of a failed
// edit stay, so that the model can correct it.
const failedFor = 2

// candidates lists what may go before the next request, in the order of the
// conversation.
func (e *Engine) candidates(m Moment) []candidate {
	var found []candidate
	for at := range e.units {
		u := &e.units[at]
		if u.part == head && e.hollow(u) {
			found = append(found, candidate{unit: at, why: Hollow, since: u.sent + hollowAfter})
		}
		if u.fixed() || !u.stands() || u.fact == nil || u.saves() < minSaved {
			continue
		}
		switch {
		case e.free(at, u):
			found = append(found, candidate{unit: at, why: Free, since: e.freeSince(at, u)})
		case e.pinned(u), u.instructs():
		default:
			idle, patience := float64(e.idle(u)), e.patience(u, m)
			switch {
			case idle >= patience:
				found = append(found, candidate{unit: at, why: Cold, since: e.coldSince(u, patience)})
			case idle >= patience*m.softShare(u.class()):
				found = append(found, candidate{unit: at, why: Soft, along: true})
			case u.sent < e.request && e.numbers(u) >= minSaved:
				found = append(found, candidate{unit: at, why: Unnumbered, since: e.request, along: !m.Pressed})
			}
		}
	}
	return found
}

// free reports whether nothing is lost with a unit.
func (e *Engine) free(at int, u *unit) bool {
	f := u.fact
	if u.state == current {
		return e.oldCopy(at, u)
	}
	if f.result < 0 {
		return false // unanswered, or an image
	}
	changes := f.act == Edit || f.act == Write
	if changes && !f.ok {
		return e.request-u.sent >= failedFor && (u.part != argument) // F6
	}
	switch u.part {
	case oldText:
		return f.ok && len(e.edits)-f.editsBefore > keptEdits // F3
	case newText, body:
		return f.ok && f.covered // F2
	case result:
		if f.repeats { // F5
			return true
		}
		return !changes && f.covered // F1, F4
	default:
		return false
	}
}

// oldCopy reports whether a folded copy is not the newest text of its file (F7).
func (e *Engine) oldCopy(at int, u *unit) bool {
	f := u.folded
	if f.copy != at {
		return true
	}
	_, outdated := e.outdated(u)
	return outdated
}

// instructs reports whether the unit says how to work: only newer content of its source
// takes its place.
func (u *unit) instructs() bool { return u.part == result && history.Instructs(u.fact.source) }

func (e *Engine) pinned(u *unit) bool {
	for _, p := range u.fact.paths {
		if f := e.files[p]; f != nil && f.pinned {
			return true
		}
	}
	return false
}

// class says how soon a unit gets cold.
type class int

// The classes, with the patience of each: the requests without use after which
// one of its units is cold. They were tuned on recorded sessions; halving or
// doubling any one of them changes the cost by less than a hundredth.
const (
	spent    class = iota // the result of a successful check
	passing               // a failed check, a look, git, the answer of an edit, long arguments
	listed                // what was searched, listed, fetched
	partUsed              // part of a file that was used at least once
	partNew               // part of a file that was not used yet
	wholeFile
)

// String names the class as people read it.
func (c class) String() string {
	return [...]string{spent: "spent", passing: "passing", listed: "found", partUsed: "part", partNew: "part", wholeFile: "whole"}[c]
}

var patience = [...]float64{spent: 2, passing: 4, listed: 10, partUsed: 16, partNew: 30, wholeFile: 100}

// leastPatience is how far pressure on the window lowers patience.
const leastPatience = 4

func (u *unit) class() class {
	f := u.fact
	switch {
	case u.state == current:
		return wholeFile
	case u.part == oldText, u.part == newText, u.part == body:
		return wholeFile
	case u.part == argument:
		return passing
	case u.part == picture:
		return listed
	}
	switch f.act {
	case View:
		switch {
		case f.lo == 1 && f.hi == lastLine:
			return wholeFile
		case u.used >= 0:
			return partUsed
		default:
			return partNew
		}
	case Shell:
		if f.class == checkCommand && f.ok {
			return spent
		}
		return passing
	case Find:
		return listed
	default:
		return passing
	}
}

// A view's patience shrinks once a human has spoken since its last use: a new question
// seldom needs what the one before needed. A whole file that was only looked at leaves
// soonest; that of a file which the session changed stays: it is what it works on.
const (
	humanFactor      = 0.5
	humanFactorWhole = 0.25
)

func (e *Engine) patience(u *unit, m Moment) float64 {
	c := u.class()
	p := patience[c] * m.pace()
	if m.Patience > 0 {
		p = max(min(p, leastPatience), p*m.Patience)
	}
	isView := u.part == result && u.fact.act == View
	if !isView || e.files[u.fact.path()].changed || e.human <= e.request-e.idle(u) {
		return p
	}
	if c == wholeFile {
		return p * humanFactorWhole
	}
	return p * humanFactor
}

// idle is the number of requests since a unit was last used: sent first, quoted, its
// words used, and for a whole text of a file the file touched or named. What is done to
// a file says nothing of one part of it, or of what an edit answered.
func (e *Engine) idle(u *unit) int {
	last := max(u.sent, u.used)
	if u.state == current {
		last = max(u.sent, u.folded.touched, u.folded.mentioned)
		return e.request - last
	}
	if f := e.files[u.fact.path()]; f != nil && u.class() == wholeFile {
		last = max(last, f.touched, f.mentioned)
	}
	return e.request - last
}
