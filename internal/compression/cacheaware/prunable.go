package cacheaware

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agent/internal/history"
)

// PrunablePart describes a part of the context that pruning could remove but has not removed.
type PrunablePart struct {
	// Kind and Subject describe the part. Class determines how soon the part counts as not needed. It
	// is "" for a strategy without classes.
	Kind, Subject, Class string
	Tokens               int
	// Waiting is set if the part may be pruned but is kept for now. Pinned is set if the part is kept
	// because its file is pinned.
	Waiting, Pinned bool
	// Reason describes why the part is still in the context.
	Reason string

	unit int
	why  Reason
}

// PrunableTokens sums up the content that could be pruned and is still in the context, in tokens.
type PrunableTokens struct {
	// Free counts content that can be pruned without loss, and Cold content that was not used for long.
	// Both wait for a cut that pays. Pinned counts content of pinned files.
	Free, Cold, Pinned int
}

// PrunableParts lists the units about a file or command, in the order of the conversation. subject is a
// path, a command, or the end of a path. If it is "", all units are listed.
func (e *Engine) PrunableParts(subject string, m RequestFacts) []PrunablePart {
	rv := e.conversation.review(m)
	whys := map[int]Reason{}
	for _, c := range rv.candidates() {
		whys[c.unit] = c.why
	}
	var held []PrunablePart
	for at := range rv.conversation.units {
		u, why := &rv.conversation.units[at], whys[at]
		if !u.mayGo() || !matches(u.subject(), subject) {
			continue
		}
		held = append(held, PrunablePart{
			Kind: u.kind(), Subject: u.subject(), Class: u.class().String(), Tokens: u.tokens,
			Waiting: why != "", Pinned: rv.conversation.pinned(u), Reason: rv.holdReason(u, why), unit: at, why: why,
		})
	}
	return held
}

func matches(subject, wanted string) bool {
	return wanted == "" || subject == wanted || strings.HasSuffix(subject, "/"+strings.TrimPrefix(wanted, "./"))
}

// holdReason describes why a unit is still in the context.
func (rv *review) holdReason(u *unit, why Reason) string {
	idle := rv.conversation.idleRequests(u)
	switch {
	case why == ReasonFree:
		return "removable without loss; kept until pruning saves more than it costs"
	case rv.conversation.pinned(u):
		return "pinned"
	case u.instructs():
		return "instructions; only newer content from the same source replaces them"
	case why == ReasonUnused:
		return fmt.Sprintf("not used for %d requests; kept until pruning saves more than it costs", idle)
	case why == ReasonSoft:
		return fmt.Sprintf("not used for %d requests (limit %.0f); will be pruned in the next pass", idle, rv.patience(u))
	default:
		return fmt.Sprintf("used %d requests ago; kept until unused for %.0f requests", idle, rv.patience(u))
	}
}

// PrunableTokens sums up the units that PrunableParts lists.
func (e *Engine) PrunableTokens(m RequestFacts) PrunableTokens {
	var s PrunableTokens
	for _, h := range e.PrunableParts("", m) {
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

// Pin keeps all content of a file until the file is unpinned. The path is absolute, relative to the
// workspace, or the end of a path. Pin returns false if the file is not in the conversation.
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

// IsRegretted reports whether pruned content should have been kept, if the model requests it again now.
// This is so if the content was pruned as unused, and the cut was a few requests ago.
func (e *Engine) IsRegretted(kind history.PruneKind, cut *history.PruningCost) bool {
	cold := kind == history.PruneKind(ReasonUnused) || kind == history.PruneKind(ReasonSoft)
	return cold && cut != nil && e.conversation.nextRequest()-cut.Request <= regret
}

// Files lists the files in the conversation.
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
