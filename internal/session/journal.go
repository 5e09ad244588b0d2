package session

import (
	"fmt"
	"slices"
	"time"

	"agent/internal/history"
)

// journal is what a log says of a conversation, record by record: the trunk of what
// happened, with the branches that were left behind by going back.
type journal []event

// event is a record that changes the conversation.
type event struct {
	seq uint64
	at  time.Time
	// line is its place in the log, for notices.
	line int
	// change is a *history.Content that was added, or the payload of the record.
	change any
}

// line returns what led to the state before the record seq, in order: everything
// that was recorded, but for what was left behind.
func (j journal) line(before uint64) journal {
	var line journal
	j.before(j.until(before), func(e event) bool {
		line = append(line, e)
		return true
	})
	slices.Reverse(line)
	return line
}

// until is the index of the first event that is not before the record seq.
func (j journal) until(seq uint64) int {
	i, _ := slices.BinarySearchFunc(j, seq, func(e event, seq uint64) int {
		if e.seq < seq {
			return -1
		}
		return 1
	})
	return i
}

// play makes of s the state to which the events of a line lead.
func (s *State) play(line journal) {
	s.Recorded, s.At = make([][]*history.Content, 1), map[*history.Content]time.Time{}
	for _, e := range line {
		switch change := e.change.(type) {
		case *history.Content:
			s.added(e, change)
		case densityPayload:
			s.densified(e, change)
		case compressionPayload:
			s.missing(e, s.timeline.rebuild(e.seq, change.History))
			s.step(history.Step{Kind: history.MutationReplaced, Entries: s.timeline.entries()})
			s.pruned(e, change.Prunes, nil)
		case clearPayload:
			s.timeline.clear()
			s.Prunes = nil
			s.step(history.Step{Kind: history.MutationCleared})
			s.Recorded = append(s.Recorded, nil)
		case pinPayload:
			s.step(history.Step{Kind: history.MutationPinned, Path: change.Path, Pinned: change.Pinned})
		case todoPayload:
			s.Todos = change.list
		}
	}
	s.Entries = s.timeline.entries()
}

func (s *State) added(e event, entry *history.Content) {
	s.timeline.add(ref{seq: e.seq}, entry)
	s.step(history.Step{Kind: history.MutationAdded, Entry: entry})
	latest := len(s.Recorded) - 1
	s.Recorded[latest] = append(s.Recorded[latest], entry)
	s.At[entry] = e.at
	if entry.IsMessage() {
		s.Turn++
	}
}

func (s *State) densified(e event, payload densityPayload) {
	s.step(history.Step{Kind: history.MutationDensity, Edits: s.timeline.edits(payload)})
	s.missing(e, s.timeline.edit(payload.Removals, payload.Replacements))
	s.pruned(e, payload.Prunes, payload.Cut)
}

func (s *State) pruned(e event, prunes []prunePayload, cut *history.Cut) {
	for _, p := range prunes {
		s.Prunes = append(s.Prunes, Pruned{p.Kind, p.Subject, p.Tool, p.Reason, p.Tokens, p.places(), cut, e.at, s.Turn})
	}
}

func (s *State) step(step history.Step) { s.Steps = append(s.Steps, step) }

// missing adds a notice about entries that a record names and no readable one
// brought.
func (s *State) missing(e event, unknown int) {
	if unknown > 0 {
		s.notice(e.line, fmt.Sprintf("line %d names entries that could not be read: %d", e.line, unknown))
	}
}
