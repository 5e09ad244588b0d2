package session

import "agent/internal/history"

// timeline is the history as the records describe it. The writer uses a timeline to turn positions into
// references, and the reader to turn references into entries. Both run the same code, so a replay results
// in the same history as the live conversation.
type timeline struct {
	slots []slot
	// at maps references to the indexes of their slots.
	at map[ref]int
}

// slot is the position of one entry. The entry is nil after it was removed.
type slot struct {
	ref   ref
	entry *history.Content
	// origin is the reference with which the entry was first recorded. It differs from ref if a compression
	// wrote the entry in a shorter form.
	origin ref
	// brought is the number of the record that wrote the entry's current form.
	brought uint64
}

func (t *timeline) add(r ref, entry *history.Content) { t.put(slot{r, entry, r, r.seq}) }

func (t *timeline) put(s slot) {
	if t.at == nil {
		t.at = make(map[ref]int)
	}
	t.at[s.ref] = len(t.slots)
	t.slots = append(t.slots, s)
}

// apply applies the record seq and returns the number of unknown entries in it.
func (t *timeline) apply(seq uint64, payload any) (unknown int) {
	switch change := payload.(type) {
	case *history.Content:
		t.add(ref{seq: seq}, change)
	case densityPayload:
		return t.edit(seq, change.Removals, change.Replacements)
	case compressionPayload:
		return t.rebuild(seq, change.History)
	case clearPayload:
		t.clear()
	}
	return 0
}

// edit applies the removals and replacements of the record seq and returns the number of
// unknown entries among them.
func (t *timeline) edit(seq uint64, removals []ref, replacements map[ref]*history.Content) (unknown int) {
	set := func(r ref, entry *history.Content) {
		i, ok := t.at[r]
		if !ok || t.slots[i].entry == nil {
			unknown++
			return
		}
		t.slots[i].entry, t.slots[i].brought = entry, seq
	}
	for r, entry := range replacements {
		set(r, entry)
	}
	for _, r := range removals {
		set(r, nil)
		delete(t.at, r)
	}
	t.compact()
	return unknown
}

// edits returns the edits of a density record by entry. It omits unknown entries.
func (t *timeline) edits(payload densityPayload) map[*history.Content]history.Edit {
	edits := make(map[*history.Content]history.Edit, len(payload.Replacements)+len(payload.Removals))
	for _, r := range payload.Removals {
		if before := t.get(r); before != nil {
			edits[before] = history.Edit{}
		}
	}
	for r, after := range payload.Replacements {
		if before := t.get(r); before != nil {
			edits[before] = history.Edit{After: after}
		}
	}
	for _, prune := range payload.Prunes {
		before := t.get(prune.Entry)
		if edit, ok := edits[before]; ok {
			edit.Kinds = append(edit.Kinds, prune.Kind)
			edits[before] = edit
		}
	}
	return edits
}

// rebuild replaces the history by the items of the record seq and returns the number of unknown entries
// among them.
func (t *timeline) rebuild(seq uint64, items []historyItem) (unknown int) {
	before := *t
	t.clear()
	for i, item := range items {
		switch {
		case item.Entry != nil:
			r := ref{seq, i + 1}
			t.put(slot{r, item.Entry, before.originOf(item, r), seq})
		case item.Ref != nil && before.get(*item.Ref) != nil:
			t.put(before.slots[before.at[*item.Ref]])
		default:
			unknown++
		}
	}
	return unknown
}

// originOf returns the origin of a new entry: the origin of the entry that it shortens, or otherwise its
// own reference r.
func (t *timeline) originOf(item historyItem, r ref) ref {
	if item.Of != nil && t.get(*item.Of) != nil {
		return t.slots[t.at[*item.Of]].origin
	}
	return r
}

func (t *timeline) get(r ref) *history.Content {
	if i, ok := t.at[r]; ok {
		return t.slots[i].entry
	}
	return nil
}

func (t *timeline) clear() { *t = timeline{} }

// compact removes the slots of removed entries once they are the majority.
func (t *timeline) compact() {
	const few = 64
	if len(t.slots) < few || len(t.at) > len(t.slots)/2 {
		return
	}
	live := t.liveSlots()
	t.clear()
	for _, s := range live {
		t.put(s)
	}
}

func (t *timeline) liveSlots() []slot {
	live := make([]slot, 0, len(t.at))
	for _, s := range t.slots {
		if s.entry != nil {
			live = append(live, s)
		}
	}
	return live
}

func (t *timeline) entries() []*history.Content {
	live := t.liveSlots()
	entries := make([]*history.Content, len(live))
	for i, s := range live {
		entries[i] = s.entry
	}
	return entries
}
