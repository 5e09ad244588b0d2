package cacheaware

import (
	"math"

	"agent/internal/history"
)

// candidate is a unit that may go, why, and if that is hard, since which request: what may
// go and stays is paid for with every request, see waitShare.
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

// review says what may leave a conversation at a moment.
type review struct {
	*conversation
	Moment
}

func (cv *conversation) review(m Moment) *review { return &review{cv, m} }

// candidates lists what may go before the next request, in the order of the
// conversation.
func (rv *review) candidates() []candidate {
	var found []candidate
	for at := range rv.units {
		u := &rv.units[at]
		if u.part == head {
			if since, ok := rv.hollow(u); ok {
				found = append(found, candidate{unit: at, why: Hollow, since: since})
			}
		}
		if !u.mayGo() || rv.unseen(u) {
			continue
		}
		switch since, free := rv.free(at, u); {
		case free:
			found = append(found, candidate{unit: at, why: Free, since: since})
		case rv.pinned(u), u.instructs():
		default:
			idle, patience := float64(rv.idle(u)), rv.patience(u)
			switch {
			case idle >= patience:
				found = append(found, candidate{unit: at, why: Cold, since: rv.coldSince(u, patience)})
			case idle >= patience*rv.softShare(u.class()):
				found = append(found, candidate{unit: at, why: Soft, along: true})
			case u.sent < rv.request && rv.numbers(u) >= minSaved:
				found = append(found, candidate{unit: at, why: Unnumbered, since: rv.request, along: !rv.Pressed})
			}
		}
	}
	return found
}

// unseen reports whether the unit is an answer, or an image of one, that no request has
// carried yet (D-120). A view whose lines a later view of the same reply shows again may go
// nevertheless.
func (cv *conversation) unseen(u *unit) bool {
	answers := u.part == result || u.part == picture
	return answers && u.sent == cv.request && u.fact.reread != u.sent
}

// free reports whether nothing is lost with a unit, and since which request.
func (rv *review) free(at int, u *unit) (since int, ok bool) {
	f := u.fact
	changes := f.act == Edit || f.act == Write
	switch {
	case u.state == current: // F7
		since, ok = rv.oldCopy(at, u)
	case f.result < 0: // unanswered, or an image
	case changes && !f.ok: // F6
		since, ok = u.sent+failedFor, rv.request-u.sent >= failedFor && u.part != argument
	case u.part == oldText: // F3
		if newer := f.editsBefore + keptEdits; f.ok && newer < len(rv.edits) {
			since, ok = rv.edits[newer], true
		}
	case u.part == newText, u.part == body: // F2
		since, ok = f.coveredAt, f.ok && f.covered
	case u.part == result && f.repeats: // F5
		since, ok = u.sent, true
	case u.part == result: // F1, F4
		since, ok = f.coveredAt, !changes && f.covered
	}
	return max(since, u.sent+1), ok
}

// oldCopy reports whether a folded copy is not the newest text of its file, and since which
// request: a later call shows the whole file, or there is a newer copy.
func (rv *review) oldCopy(at int, u *unit) (since int, ok bool) {
	facts, newer := u.folded.facts, u.folded.copy
	for i := len(facts) - 1; i >= 0 && rv.units[facts[i].result].sent > u.foldedAt; i-- {
		if later := facts[i]; later.ok && (later.act == Write || later.wholeView()) {
			since, ok = rv.units[later.result].sent, true
		}
	}
	switch {
	case ok || newer == at:
		return since, ok
	case newer >= 0:
		return rv.units[newer].foldedAt, true
	}
	return rv.request, true
}

// instructs reports whether the unit says how to work: only newer content of its source
// takes its place.
func (u *unit) instructs() bool { return u.part == result && history.Instructs(u.fact.source) }

func (cv *conversation) pinned(u *unit) bool {
	for _, p := range u.fact.paths {
		if f := cv.files[p]; f != nil && f.pinned {
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

var patience = [...]float64{spent: 1, passing: 4, listed: 7, partUsed: 16, partNew: 30, wholeFile: 100}

// leastPatience is how far pressure on the window lowers patience: what the model has seen
// twice may go before all is compressed.
const leastPatience = 2

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

func (rv *review) patience(u *unit) float64 {
	c := u.class()
	p := patience[c] * rv.pace()
	if rv.Patience > 0 {
		p = max(min(p, leastPatience), p*rv.Patience)
	}
	isView := u.part == result && u.fact.act == View
	if !isView || rv.files[u.fact.path()].changed || rv.human <= rv.request-rv.idle(u) {
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
func (cv *conversation) idle(u *unit) int {
	last := max(u.sent, u.used)
	if u.state == current {
		last = max(u.sent, u.folded.touched, u.folded.mentioned)
		return cv.request - last
	}
	if f := cv.files[u.fact.path()]; f != nil && u.class() == wholeFile {
		last = max(last, f.touched, f.mentioned)
	}
	return cv.request - last
}

// coldSince is the request since which a unit is idle for as long as its patience, which
// may have shrunk when a human spoke.
func (rv *review) coldSince(u *unit, patience float64) int {
	last := rv.request - rv.idle(u)
	since := last + int(math.Ceil(patience))
	if rv.human > last {
		since = max(since, rv.human)
	}
	return min(since, rv.request)
}
