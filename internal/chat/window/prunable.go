package window

import (
	"strings"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/settings"
	"agent/internal/toolspec"
)

// Contents describes the content of the context, and why each part is still in it.
type Contents struct {
	history   *history.Service
	measure   *RequestMeter
	staleness *StaleFinder
	pricing   *pricing
	pruning   *Pruning
	facts     compression.TraitsLookup
}

// PrunablePart is a part of the context that pruning could remove but has not removed.
type PrunablePart = compression.PrunablePart

// PrunableTokens sums up the content that pruning could remove but has not removed, in tokens.
type PrunableTokens = compression.PrunableTokens

// PrunableParts lists the parts of the context about a file or command, with the reason why each is still
// there. subject is a path, the end of a path or a command. If it is "", all parts are listed.
func (c *Contents) PrunableParts(subject string) []PrunablePart {
	if c.pricing.syncEngine() {
		return c.scaledHeld(c.pricing.engine.PrunableParts(strings.TrimPrefix(subject, "./"), c.pricing.moment()))
	}
	var held []PrunablePart
	leaving := c.staleness.leaving()
	for _, part := range c.staleness.parts() {
		if subject == "" || part.Path == c.staleness.absolute(subject) || isEnd(subject, part.Path) {
			held = append(held, c.heldPart(part, leaving))
		}
	}
	return held
}

// scaledHeld converts the sizes of parts to the provider's tokens. It adds the reason why files are
// pinned that the user has not pinned.
func (c *Contents) scaledHeld(held []PrunablePart) []PrunablePart {
	for i, h := range held {
		if h.Pinned && !c.staleness.pins[h.Subject] {
			held[i].Reason = "kept: the model asked for it again"
		}
		held[i].Tokens = c.measure.ToProviderTokens(held[i].Tokens)
	}
	return held
}

// heldPart describes a part and why it is still in the context, for a strategy that does not weigh
// prices.
func (c *Contents) heldPart(part compression.FilePart, leaving map[history.Block]string) PrunablePart {
	h := PrunablePart{Kind: "inclusion", Subject: part.Path, Tokens: c.measure.ToProviderTokens(c.history.CountBlocks(part.Blocks)), Pinned: c.staleness.pins[part.Path]}
	facts := toolspec.Traits{}
	if part.Call != nil {
		h.Kind, facts = part.Call.Name, c.facts(part.Call.Name)
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
		h.Waiting, h.Reason = true, "will be pruned before the next request: "+reason
	case leaving == nil:
		h.Reason = "kept: this compression strategy prunes nothing; compression removes the oldest content first"
	case part.Call == nil:
		h.Reason = "kept: the latest copy of a file included with @"
	case facts.WritesFile():
		h.Reason = "kept: an edit of the file; only compression can remove it"
	case !settings.DensityConfig(c.staleness.strategies.settings).Switches["readWritePruning"]:
		h.Reason = "compression.density.readWritePruning is off"
	default:
		h.Reason = "kept: the file has not changed since"
	}
	return h
}

// standing sums up the parts that PrunableParts lists.
func (c *Contents) standing() PrunableTokens {
	var s PrunableTokens
	if c.pricing.syncEngine() {
		s = c.pricing.engine.PrunableTokens(c.pricing.moment())
		return PrunableTokens{Free: c.measure.ToProviderTokens(s.Free), Cold: c.measure.ToProviderTokens(s.Cold), Pinned: c.measure.ToProviderTokens(s.Pinned)}
	}
	seen := make(map[history.Block]bool)
	for _, part := range c.staleness.parts() {
		if c.staleness.pins[part.Path] && !seen[part.Blocks[0]] {
			seen[part.Blocks[0]] = true
			s.Pinned += c.measure.ToProviderTokens(c.history.CountBlocks(part.Blocks))
		}
	}
	return s
}
