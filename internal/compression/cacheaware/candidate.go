package cacheaware

import (
	"slices"

	"agent/internal/history"
)

// A candidate is a unit that may be pruned, with the reason.
type candidate struct {
	unit int
	why  Reason
	// soft is set if the candidate alone does not justify a pruning pass, and is only pruned together
	// with others.
	soft bool
}

// hard reports whether the candidate may start a pruning pass. A soft candidate is only pruned together
// with others.
func (c candidate) hard() bool { return !c.soft }

// keptEdits is the number of the newest edits whose old text is kept.
const keptEdits = 3

// failedFor is the number of requests for which a failed edit keeps its arguments and its result, so
// that the model can correct the edit.
const failedFor = 2

// A review finds the units of a conversation that may be pruned at a moment.
type review struct {
	conversation *conversation
	RequestFacts
}

func (cv *conversation) review(m RequestFacts) *review { return &review{cv, m} }

// candidates lists the units that may be pruned before the next request, in the order of the
// conversation.
func (rv *review) candidates() []candidate {
	var found []candidate
	for at := range rv.conversation.units {
		u := &rv.conversation.units[at]
		if u.part == head && rv.hollow(u) {
			found = append(found, candidate{unit: at, why: ReasonEmptyCall})
		}
		if !u.mayGo() || rv.conversation.unseen(u) {
			continue
		}
		kept := rv.conversation.pinned(u) || u.instructs()
		idle, patience := float64(rv.conversation.idleRequests(u)), rv.patience(u)
		switch {
		case rv.isFree(at, u):
			found = append(found, candidate{unit: at, why: ReasonFree})
		case !kept && idle >= patience:
			found = append(found, candidate{unit: at, why: ReasonUnused})
		case !kept && idle >= patience*rv.softShare(u.class()):
			found = append(found, candidate{unit: at, why: ReasonSoft, soft: true})
		case u.mayBeMarked():
			found = append(found, candidate{unit: at, why: ReasonMarked, soft: !rv.Cold})
		}
	}
	return found
}

// unseen reports whether the unit is a result, or an image of a result, that no request has contained
// yet (D-120). It ignores a view whose lines a later view of the same reply also shows.
func (cv *conversation) unseen(u *unit) bool {
	answers := u.part == result || u.part == picture
	return answers && u.sent == cv.request && u.fact.reread != u.sent
}

// isFree reports whether pruning a unit loses nothing. Its rules are named F1 to F7, also in the tests.
func (rv *review) isFree(at int, u *unit) bool {
	f := u.fact
	changes := f.act == EffectEdit || f.act == EffectWrite
	switch {
	case u.state == current: // F7: an old copy
		return rv.conversation.isOldCopy(at, u)
	case f.result < 0: // unanswered, or an image
		return false
	case changes && !f.ok: // F6: a failed change
		return rv.conversation.request-u.sent >= failedFor && u.part != argument
	case u.part == oldText: // F3: the replaced text of an edit
		return f.ok && f.editsBefore+keptEdits < len(rv.conversation.edits)
	case u.part == newText, u.part == body: // F2: text that a later answer covers
		return f.ok && f.covered
	default: // F1, F4: a result that a later one covers; F5: a repeated result
		return u.part == result && (f.repeats || !changes && f.covered)
	}
}

// isOldCopy reports whether newer content has replaced a folded copy of a file. A later call then shows
// or writes the whole file, or a newer copy exists.
func (cv *conversation) isOldCopy(at int, u *unit) bool {
	return u.folded.copy != at || slices.ContainsFunc(u.folded.facts, func(later *fact) bool {
		return cv.units[later.result].sent > u.foldedAt && later.ok && (later.act == EffectWrite || later.wholeView())
	})
}

// instructs reports whether the unit contains instructions for the model. Only newer content of its
// source replaces such a unit.
func (u *unit) instructs() bool { return u.part == result && history.IsInstructionKey(u.fact.source) }

func (cv *conversation) pinned(u *unit) bool {
	for _, p := range u.fact.paths {
		if f := cv.files[p]; f != nil && f.pinned {
			return true
		}
	}
	return false
}

// class determines how soon a unit becomes cold.
type class int

// The classes. The retention of a class is the number of requests without use after which a unit of the
// class is cold. The values were tuned on recorded sessions. Halving or doubling any one of them
// changes the cost by less than a hundredth.
const (
	spent    class = iota // the result of a check that passed
	passing               // a failed check, any other command, the result of an edit, a long argument
	listed                // the result of a search, a listing or a fetch
	asked                 // an image, the report of an agent, the result of a server that the user named
	partUsed              // part of a file that was used at least once
	partNew               // part of a file that was not used yet
	wholeFile
)

// String returns the name of the class for people.
func (c class) String() string {
	return [...]string{spent: "spent", passing: "passing", listed: "found", asked: "found", partUsed: "part", partNew: "part", wholeFile: "whole"}[c]
}

var patience = [...]float64{spent: 1, passing: 4, listed: 1, asked: 7, partUsed: 24, partNew: 45, wholeFile: 100}

// leastPatience is the lowest retention near the limit of the window, in requests. Content that the
// model has seen twice may be pruned before everything is compressed.
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
	case u.part == picture, f.reports, f.asked:
		return asked
	}
	switch f.act {
	case EffectView:
		switch {
		case f.lo == 1 && f.hi == lastLine:
			return wholeFile
		case u.used >= 0:
			return partUsed
		default:
			return partNew
		}
	case EffectShell:
		if f.checks && f.ok {
			return spent
		}
		return passing
	case EffectSearch:
		return listed
	default:
		return passing
	}
}

// The retention of a view shrinks once a human message follows its last use, if an edit was applied in
// between: a new question seldom needs the files of the previous question. Without an edit, the message
// may be the approval of a plan, so the files of the plan are kept. Without this rule, 11 instead of 6
// texts are lost in the session with patches. A whole file that was only read is pruned soonest. A file
// that the session changed keeps its retention, because the session works on it.
const (
	humanFactor      = 0.5
	humanFactorWhole = 0.25
)

// patience returns the number of requests without use after which a unit is now cold.
func (rv *review) patience(u *unit) float64 {
	c := u.class()
	if c == listed && rv.conversation.stumbled() {
		c = asked // the next reply shows whether the model used the result
	}
	p := patience[c] * rv.pace()
	if rv.Patience > 0 {
		p = max(min(p, leastPatience), p*rv.Patience)
	}
	isView := u.part == result && u.fact.act == EffectView
	if !isView || rv.conversation.files[u.fact.path()].changed || !rv.conversation.editedSince(rv.conversation.request-rv.conversation.idleRequests(u)) {
		return p
	}
	if c == wholeFile {
		return p * humanFactorWhole
	}
	return p * humanFactor
}

// idleRequests returns the number of requests since a unit was last used. A unit is used when it is
// first sent, when an edit quotes it, and when a reply contains its rare words. A unit with the whole
// text of a file is also used when a call accesses the file or a message names it. Neither counts as a
// use of a part of the file, or of the result of an edit.
func (cv *conversation) idleRequests(u *unit) int {
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

// editedSince reports whether an edit was applied between a request and the latest human message.
func (cv *conversation) editedSince(request int) bool {
	at, _ := slices.BinarySearch(cv.edits, request+1)
	return at < len(cv.edits) && cv.edits[at] <= cv.human
}
