package cacheaware

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agent/internal/history"
)

// HeldPart describes a part of the context that pruning could take and has not taken.
type HeldPart struct {
	// Kind and Subject name the part. Class says how soon the part counts as not needed; it is
	// empty for a strategy without classes.
	Kind, Subject, Class string
	Tokens               int
	// Waiting is set if the part may go and is held back. Pinned is set if the part stays because
	// its file is pinned.
	Waiting, Pinned bool
	// Reason explains in words why the part is still there.
	Reason string

	unit int
	why  Reason
}

// PrunableTokens sums up the content that could be pruned and is still in the context, in tokens.
type PrunableTokens struct {
	// Free counts content whose loss would cost nothing, Cold content that has not been used for
	// long; both wait for a cut that pays. Pinned counts content of pinned files.
	Free, Cold, Pinned int
}

// HeldParts lists the units about a file or command, in the order of the conversation. subject is a
// path or a command line, or the end of a path; "" selects all units.
func (e *Engine) HeldParts(subject string, m Moment) []HeldPart {
	rv := e.conversation.review(m)
	whys := map[int]Reason{}
	for _, c := range rv.candidates() {
		whys[c.unit] = c.why
	}
	var held []HeldPart
	for at := range rv.conversation.units {
		u, why := &rv.conversation.units[at], whys[at]
		if !u.mayGo() || !matches(u.subject(), subject) {
			continue
		}
		held = append(held, HeldPart{
			Kind: u.kind(), Subject: u.subject(), Class: u.class().String(), Tokens: u.tokens,
			Waiting: why != "", Pinned: rv.conversation.pinned(u), Reason: rv.holdReason(u, why), unit: at, why: why,
		})
	}
	return held
}

func matches(subject, wanted string) bool {
	return wanted == "" || subject == wanted || strings.HasSuffix(subject, "/"+strings.TrimPrefix(wanted, "./"))
}

// holdReason explains in words why a unit is still in the context.
func (rv *review) holdReason(u *unit, why Reason) string {
	idle := rv.conversation.idleRequests(u)
	switch {
	case why == ReasonFree:
		return "nothing would be lost with it; it waits for a cut that pays"
	case rv.conversation.pinned(u):
		return "pinned"
	case u.instructs():
		return "it says how to work; only newer content of its source takes its place"
	case why == ReasonUnused:
		return fmt.Sprintf("not used for %d requests; it waits for a cut that pays", idle)
	case why == ReasonSoft:
		return fmt.Sprintf("not used for %d of %.0f requests; it goes along with the next cut", idle, rv.patience(u))
	default:
		return fmt.Sprintf("used %d requests ago; it stays for %.0f", idle, rv.patience(u))
	}
}

// PrunableTokens sums up the units that HeldParts lists.
func (e *Engine) PrunableTokens(m Moment) PrunableTokens {
	var s PrunableTokens
	for _, h := range e.HeldParts("", m) {
		switch {
		case h.why == ReasonFree:
			s.Free += h.Tokens
		case h.why == ReasonUnused:
			s.Cold += h.Tokens
		case h.Pinned:
			s.Pinned += h.Tokens
		}
	}
	return s
}

// Pin keeps everything about a file until the file is unpinned. The path is absolute, relative to
// the workspace, or the end of one. Pin returns false if the conversation does not know the file.
func (e *Engine) Pin(path string, pinned bool) bool {
	known := false
	for name, f := range e.conversation.files {
		if matches(name, path) {
			f.pinned, known = pinned, true
		}
	}
	return known
}

// nextRequest returns the number of the next request, from 1.
func (cv *conversation) nextRequest() int { return cv.request + 1 }

// Regrets reports whether content of a kind that was pruned by a cut should have stayed, if the
// model asks for it again now: it was not used for long, and the cut was a moment ago.
func (e *Engine) Regrets(kind history.PruneKind, cut *history.Cut) bool {
	cold := kind == history.PruneKind(ReasonUnused) || kind == history.PruneKind(ReasonSoft)
	return cold && cut != nil && e.conversation.nextRequest()-cut.Request <= regret
}

// Files lists the files that the conversation knows.
func (e *Engine) Files() []string { return slices.Sorted(maps.Keys(e.conversation.files)) }

// Pins lists the pinned files.
func (e *Engine) Pins() []string {
	var pins []string
	for _, path := range slices.Sorted(maps.Keys(e.conversation.files)) {
		if e.conversation.files[path].pinned {
			pins = append(pins, path)
		}
	}
	return pins
}

// setPins pins the files at paths and unpins all others.
func (cv *conversation) setPins(paths []string) {
	for path, f := range cv.files {
		f.pinned = slices.Contains(paths, path)
	}
}
