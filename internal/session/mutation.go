package session

import (
	"errors"

	"agent/internal/history"
)

// errOutOfStep is returned if a mutation does not fit the recorded history, because the history was changed
// without notifying its observer.
var errOutOfStep = errors.New("internal error: the session log doesn't match the conversation. Start a new session")

// change is a mutation in the form in which it is recorded.
type change struct {
	kind    Type
	payload any
	// tokens holds the token counts of an entry, if they are known.
	tokens history.TokenCounts
	// counts holds the counts of the log including the added entry.
	counts Counts
}

// describe turns a mutation into the record with number seq, and applies this record to the timeline. A
// replay of the records therefore results in the same timeline.
func (t *timeline) describe(seq uint64, m history.Mutation) (c change, err error) {
	switch m.Kind {
	case history.MutationAdded:
		c = change{kind: TypeEntry, payload: m.Entry, tokens: m.Tokens}
	case history.MutationDensity:
		c.kind = TypeDensity
		if c.payload, err = densityOf(t.liveSlots(), m.Result); err != nil {
			return change{}, err
		}
	case history.MutationReplaced:
		payload := compressionPayload{Cause: m.Cause, History: t.itemsOf(m.Entries)}
		payload.Dropped = t.origins(payload.History)
		payload.Prunes = prunesOf(t.liveSlots(), m.Gone)
		c = change{kind: TypeCompression, payload: payload}
	case history.MutationPinned:
		c = change{kind: TypePin, payload: pinPayload{m.Path, m.Pinned}}
	default:
		c = change{kind: TypeClear, payload: clearPayload{}}
	}
	t.apply(seq, c.payload)
	return c, nil
}

// densityOf replaces the indices of a result by references.
func densityOf(live []slot, result history.DensityResult) (densityPayload, error) {
	payload := densityPayload{
		Removals:     make([]ref, len(result.Removals)),
		Replacements: make(map[ref]*history.Content, len(result.Replacements)),
		Metadata:     result.Metadata,
		Cut:          result.Cut,
	}
	inStep := true
	refAt := func(index int) ref {
		if index < 0 || index >= len(live) {
			inStep = false
			return ref{}
		}
		return live[index].ref
	}
	for i, index := range result.Removals {
		payload.Removals[i] = refAt(index)
	}
	for index, entry := range result.Replacements {
		payload.Replacements[refAt(index)] = entry
	}
	for _, p := range result.Prunes {
		refAt(p.Entry)
	}
	if !inStep {
		return densityPayload{}, errOutOfStep
	}
	payload.Prunes = prunesOf(live, result.Prunes)
	return payload, nil
}

// prunesOf returns prunes of the live history in their recorded form. It sets the Recorded field of each
// prune.
func prunesOf(live []slot, prunes []history.Prune) []prunePayload {
	payloads := make([]prunePayload, len(prunes))
	find := finder(live)
	for i, p := range prunes {
		p.Recorded = find(p)
		prunes[i].Recorded = p.Recorded
		payloads[i].Prune = p
		if p.Entry >= 0 && p.Entry < len(live) {
			payloads[i].Entry = live[p.Entry].ref
		}
	}
	return payloads
}

// itemsOf returns items that refer to the existing entries of the history by reference. Contents are
// immutable, so the same pointer means the same entry.
func (t *timeline) itemsOf(entries []*history.Content) []historyItem {
	known := make(map[*history.Content]ref, len(t.at))
	for _, s := range t.liveSlots() {
		known[s.entry] = s.ref
	}
	items := make([]historyItem, len(entries))
	for i, entry := range entries {
		r, ok := known[entry]
		if !ok {
			items[i].Entry = entry
			continue
		}
		items[i].Ref = &r
		// An entry that occurs twice has only one reference, so the second occurrence is a new entry.
		delete(known, entry)
	}
	return items
}
