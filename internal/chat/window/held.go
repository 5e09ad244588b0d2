package window

import (
	"path"
	"strings"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/settings"
	"agent/internal/traits"
)

// Held is a part of the context that pruning could take and has not taken.
type Held = compression.Held

// Standing sums up the content that pruning could take and has not taken, in tokens.
type Standing = compression.Standing

// Held lists the parts of the context about a file or command, with the reason why each is still
// there. subject is a path, the end of a path or a command; "" selects all parts.
func (w *Window) Held(subject string) []Held {
	if w.followed() {
		return w.scaledHeld(w.engine.Held(strings.TrimPrefix(subject, "./"), w.moment()))
	}
	var held []Held
	leaving := w.leaving()
	for _, part := range compression.Parts(w.History.RawHistory(), w.DensityConfig()) {
		if subject == "" || part.Path == w.absolute(subject) || strings.HasSuffix(part.Path, "/"+strings.TrimPrefix(path.Clean(subject), "./")) {
			held = append(held, w.heldPart(part, leaving))
		}
	}
	return held
}

// scaledHeld converts the sizes of parts to the provider's tokens.
func (w *Window) scaledHeld(held []Held) []Held {
	for i := range held {
		held[i].Tokens = w.Scaled(held[i].Tokens)
	}
	return held
}

// density returns the prunes that a strategy that does not weigh prices would make before the
// next request, or false if the strategy prunes nothing.
func (w *Window) density() (prunes []history.Prune, ok bool) {
	strategy, err := w.Active()
	optimizer, ok := strategy.(compression.Optimizer)
	if err != nil || !ok {
		return nil, false
	}
	result, err := optimizer.Optimize(w.History.RawHistory(), w.DensityConfig())
	if err != nil {
		return nil, true
	}
	return result.Prunes, true
}

// leaving maps each block that density would take before the next request to the reason. It returns
// nil if the strategy prunes nothing.
func (w *Window) leaving() map[history.Block]string {
	prunes, ok := w.density()
	if !ok {
		return nil
	}
	reasons := make(map[history.Block]string)
	for _, p := range prunes {
		for _, block := range p.Gone {
			reasons[block] = p.Reason
		}
	}
	return reasons
}

// heldPart describes a part and why it is still there, for a strategy that does not weigh prices.
func (w *Window) heldPart(part compression.Part, leaving map[history.Block]string) Held {
	h := Held{Kind: "inclusion", Subject: part.Path, Tokens: w.Scaled(w.History.CountBlocks(part.Blocks)), Pinned: w.pins[part.Path]}
	facts := traits.Traits{}
	if part.Call != nil {
		h.Kind, facts = part.Call.Name, w.Facts(part.Call.Name)
	}
	reason := ""
	for _, block := range part.Blocks {
		if found, ok := leaving[block]; ok {
			reason = found
		}
	}
	switch {
	case h.Pinned:
		h.Reason = "pinned"
	case reason != "":
		h.Waiting, h.Reason = true, "goes before the next request: "+reason
	case leaving == nil:
		h.Reason = "the strategy in use prunes nothing; a compression takes the oldest first"
	case part.Call == nil:
		h.Reason = "the latest inclusion of the file; a later one takes its place"
	case facts.WritesFile():
		h.Reason = "a change of the file; only a compression takes it"
	case !settings.Density(w.Settings).Switches["readWritePruning"]:
		h.Reason = "compression.density.readWritePruning is off"
	default:
		h.Reason = "nothing has written the file since; a later write takes it"
	}
	return h
}

// standing sums up the parts that Held lists.
func (w *Window) standing() Standing {
	var s Standing
	if w.followed() {
		s = w.engine.Standing(w.moment())
		return Standing{Free: w.Scaled(s.Free), Cold: w.Scaled(s.Cold), Pinned: w.Scaled(s.Pinned)}
	}
	seen := make(map[history.Block]bool)
	for _, part := range compression.Parts(w.History.RawHistory(), w.DensityConfig()) {
		if w.pins[part.Path] && !seen[part.Blocks[0]] {
			seen[part.Blocks[0]] = true
			s.Pinned += w.Scaled(w.History.CountBlocks(part.Blocks))
		}
	}
	return s
}
