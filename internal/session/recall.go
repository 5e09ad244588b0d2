package session

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"agent/internal/history"
)

// Recall returns the entries at some positions of the log, as they were first recorded, and the entries
// that followed on the current branch. So it finds content that pruning or a compression removed from the
// context.
func (l *Log) Recall(places []history.RecordRef) (history.RecalledContent, error) {
	past, err := l.Snapshot()
	if err != nil {
		return history.RecalledContent{}, fmt.Errorf("can't read the session log: %w", err)
	}
	return past.player.recall(places)
}

func (p *player) recall(places []history.RecordRef) (recalled history.RecalledContent, err error) {
	in, err := openPages(p.text)
	if err != nil {
		return recalled, err
	}
	defer in.Close()
	first := uint64(math.MaxUint64)
	for _, place := range places {
		var at ref
		if err := at.UnmarshalText([]byte(place.Entry)); err != nil {
			return recalled, err
		}
		i, ok := p.journal.find(at.seq)
		if !ok {
			return recalled, fmt.Errorf("record %d of the session log is missing or damaged", at.seq)
		}
		entry, recorded, err := in.entryNamed(p.journal[i], at)
		if err != nil {
			return recalled, err
		}
		if at.seq < first {
			first, recalled.At = at.seq, recorded
		}
		for _, block := range entry.Blocks {
			if place.CallID == "" || history.CallID(block) == place.CallID {
				recalled.Blocks = append(recalled.Blocks, block)
			}
		}
	}
	line := p.journal.line(math.MaxUint64)
	for len(line) > 0 && line[0].seq <= first {
		if line[0].message {
			recalled.Turn++
		}
		line = line[1:]
	}
	recalled.Later = p.readAdded(line)
	return recalled, nil
}

// readAdded reads the entries that the events of a branch added.
func (p *player) readAdded(line journal) iter.Seq2[*history.Content, error] {
	return func(yield func(*history.Content, error) bool) {
		in, err := openPages(p.text)
		if err != nil {
			yield(nil, err)
			return
		}
		defer in.Close()
		for _, e := range line {
			if !e.entry {
				continue
			}
			entry, _, err := in.entry(e)
			if !yield(entry, err) || err != nil {
				return
			}
		}
	}
}

// entryNamed returns the entry that an event wrote with the reference at, and the time of the event.
func (p *pages) entryNamed(e event, at ref) (*history.Content, time.Time, error) {
	r, payload, err := p.record(e)
	if err != nil {
		return nil, r.Time, err
	}
	switch change := payload.(type) {
	case *history.Content:
		if at.item == 0 {
			return change, r.Time, nil
		}
	case compressionPayload:
		if i := at.item - 1; i >= 0 && i < len(change.History) && change.History[i].Entry != nil {
			return change.History[i].Entry, r.Time, nil
		}
	}
	return nil, r.Time, fmt.Errorf("record %d of the session log contains no entry %s", at.seq, at)
}

// places returns the positions of a prune's content in the log. Older logs name only its entry.
func (p prunePayload) places() []history.RecordRef {
	if len(p.Recorded) > 0 {
		return p.Recorded
	}
	return []history.RecordRef{{Entry: p.Entry.String()}}
}

// finder returns a function that finds the positions in the log of the blocks that a prune removes from a
// history. If a block was only part of a text, no entry contains it: its position is the prune's entry.
func finder(live []slot) func(history.Prune) []history.RecordRef {
	at := make(map[history.Block]int, 2*len(live))
	for i := len(live) - 1; i >= 0; i-- {
		for _, block := range live[i].entry.Blocks {
			at[block] = i
		}
	}
	return func(p history.Prune) []history.RecordRef {
		var places []history.RecordRef
		for _, block := range p.Gone {
			i, ok := at[block]
			switch {
			case !ok && (p.Entry < 0 || p.Entry >= len(live)):
				continue
			case !ok:
				i = p.Entry
			}
			place := history.RecordRef{Entry: live[i].origin.String(), CallID: history.CallID(block)}
			if !slices.Contains(places, place) {
				places = append(places, place)
			}
		}
		return places
	}
}

// origins records for each new entry of a rebuilt history which entries of t it replaces. It returns the
// entries that nothing replaces. A shorter form of an entry replaces that entry. Any other new entry, such
// as a marker, replaces the removed entries around it.
func (t *timeline) origins(items []historyItem) (dropped []ref) {
	kept := make(map[ref]bool, len(items))
	for _, item := range items {
		if item.Ref != nil {
			kept[*item.Ref] = true
		}
	}
	gone := slices.DeleteFunc(t.liveSlots(), func(s slot) bool { return kept[s.ref] })
	marker := &dropped
	for i := range items {
		if items[i].Entry == nil {
			continue
		}
		longer := slices.IndexFunc(gone, func(s slot) bool { return items[i].Entry.SameEntry(s.entry) })
		if longer < 0 {
			marker = &items[i].From
			continue
		}
		*marker = append(*marker, refs(gone[:longer])...)
		items[i].Of = &gone[longer].ref
		gone = gone[longer+1:]
	}
	*marker = append(*marker, refs(gone)...)
	return dropped
}

func refs(slots []slot) []ref {
	all := make([]ref, len(slots))
	for i, s := range slots {
		all[i] = s.ref
	}
	return all
}
