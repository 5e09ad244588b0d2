package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"agent/internal/history"
)

// Recall returns the blocks at a place of the log, as they were recorded first:
// what density or a compression took out of the context is found so.
func Recall(log io.Reader, place history.Recorded) ([]history.Block, error) {
	var at ref
	if err := at.UnmarshalText([]byte(place.Entry)); err != nil {
		return nil, err
	}
	record, err := find(log, at.seq)
	if err != nil {
		return nil, err
	}
	entry, err := entryOf(record, at)
	if err != nil {
		return nil, fmt.Errorf("record %d: %w", at.seq, err)
	}
	return slices.DeleteFunc(slices.Clone(entry.Blocks), func(b history.Block) bool {
		return place.CallID != "" && callID(b) != place.CallID
	}), nil
}

// find returns the record with number seq.
func find(log io.Reader, seq uint64) (Record, error) {
	lines := bufio.NewReaderSize(log, 256<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if found, wrong := parse(bytes.TrimSpace(line)); wrong == nil && found.Seq == seq {
			return found, nil
		}
		if err == io.EOF {
			return Record{}, fmt.Errorf("the session has no record %d", seq)
		}
		if err != nil {
			return Record{}, fmt.Errorf("the session log cannot be read: %w", err)
		}
	}
}

// entryOf is the entry that a record brought under the name at.
func entryOf(r Record, at ref) (*history.Content, error) {
	switch r.Type {
	case TypeEntry:
		entry := new(history.Content)
		return entry, entry.UnmarshalJSON(r.Payload)
	case TypeCompression:
		var payload compressionPayload
		if err := json.Unmarshal(r.Payload, &payload); err != nil {
			return nil, err
		}
		if i := at.item - 1; i >= 0 && i < len(payload.History) && payload.History[i].Entry != nil {
			return payload.History[i].Entry, nil
		}
	}
	return nil, fmt.Errorf("it brought no entry %s", at)
}

// places are where a prune's content is. Older logs name its entry alone.
func (p prunePayload) places() []history.Recorded {
	if len(p.Gone) > 0 {
		return p.Gone
	}
	return []history.Recorded{{Entry: p.Entry.String()}}
}

// placesOf finds what a prune took in the history as it was. The responses of a
// call stand after it, so the search goes on from the entry of the prune.
func placesOf(live []slot, p history.Prune) []history.Recorded {
	var places []history.Recorded
	for _, block := range p.Gone {
		// What is part of a text only is a block of its own here and found nowhere.
		at := p.Entry
		for i := p.Entry; i < len(live) && callID(block) != ""; i++ {
			if slices.Contains(live[i].entry.Blocks, block) {
				at = i
				break
			}
		}
		places = append(places, history.Recorded{Entry: live[at].ref.String(), CallID: callID(block)})
	}
	return places
}

// origins notes for each new entry of a rebuilt history which entries of t it stands
// for, and returns those that nothing stands for. An entry that is like an old one
// is its summary; one that is like none, such as a marker, stands for those around
// it that have no summary.
func (t *timeline) origins(items []historyItem) (dropped []ref) {
	kept := make(map[ref]bool, len(items))
	for _, item := range items {
		if item.Ref != nil {
			kept[*item.Ref] = true
		}
	}
	gone := slices.DeleteFunc(t.live(), func(s slot) bool { return kept[s.ref] })
	marker := &dropped
	for i := range items {
		if items[i].Entry == nil {
			continue
		}
		like := slices.IndexFunc(gone, func(s slot) bool { return alike(s.entry, items[i].Entry) })
		if like < 0 {
			marker = &items[i].From
			continue
		}
		*marker = append(*marker, refs(gone[:like])...)
		items[i].From = []ref{gone[like].ref}
		gone = gone[like+1:]
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

// alike reports whether edited can be a shortened form of entry: the same speaker
// says as much, and it holds the same calls and responses, or shares a block.
func alike(entry, edited *history.Content) bool {
	if entry.Speaker != edited.Speaker || len(entry.Blocks) != len(edited.Blocks) {
		return false
	}
	shared := false
	for i, block := range edited.Blocks {
		if callID(block) != callID(entry.Blocks[i]) {
			return false
		}
		shared = shared || block == entry.Blocks[i] || callID(block) != ""
	}
	return shared
}

// callID is the id of a call or of a response, else empty.
func callID(block history.Block) string {
	switch b := block.(type) {
	case *history.ToolCall:
		return b.ID
	case *history.ToolResponse:
		return b.CallID
	}
	return ""
}
