package session

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/history"
)

// pages reads single records of a log.
type pages struct {
	opened
	line []byte
}

func openPages(t text) (*pages, error) {
	in, err := t()
	if err != nil {
		return nil, unreadable(err)
	}
	return &pages{opened: in}, nil
}

// errChanged is returned if a log was changed between two reads.
var errChanged = errors.New("another program changed the session log while agent read it")

func (p *pages) record(e event) (r Record, payload any, err error) {
	p.line = slices.Grow(p.line[:0], e.length)[:e.length]
	if n, err := p.ReadAt(p.line, e.at); n < e.length {
		return r, nil, unreadable(err)
	}
	r, err = parse(p.line)
	if newer := (*VersionError)(nil); errors.As(err, &newer) {
		err = nil // the first read accepted the line as well
	}
	if err == nil {
		r, payload, err = decodeLine(p.line, r)
	}
	if err != nil || r.Seq != e.seq {
		return r, nil, errChanged
	}
	return r, payload, nil
}

func (p *pages) entry(e event) (*history.Content, time.Time, error) {
	r, payload, err := p.record(e)
	if err != nil {
		return nil, r.Time, err
	}
	entry, ok := payload.(*history.Content)
	if !ok {
		return nil, r.Time, errChanged
	}
	return entry, r.Time, nil
}

// play applies the events of a branch to s. It reads an entry only if the entry is still in the context at
// the end.
func (s *State) play(t text, line journal) error {
	in, err := openPages(t)
	if err != nil {
		return err
	}
	defer in.Close()
	pins := map[string]bool{}
	reply := event{}
	for _, e := range line {
		var r Record
		payload := any(unread)
		if !e.entry {
			if r, payload, err = in.record(e); err != nil {
				return err
			}
		}
		if unknown := s.timeline.apply(e.seq, payload); unknown > 0 {
			s.notice(e.line, fmt.Sprintf("line %d refers to %s", e.line, humanize.Count(unknown, "unreadable entry")))
		}
		switch change := payload.(type) {
		case *history.Content:
			if e.message {
				s.Turn++
			}
			if e.reply {
				reply = e
			}
		case densityPayload:
			s.pruned(r.Time, change.Prunes, change.Cut)
		case compressionPayload:
			s.pruned(r.Time, change.Prunes, nil)
		case clearPayload:
			s.Prunes, reply = nil, event{}
			clear(pins)
		case pinPayload:
			if delete(pins, change.Path); change.Pinned {
				pins[change.Path] = true
			}
		case todoPayload:
			s.Todos = change.list
		}
	}
	s.Pins = slices.Sorted(maps.Keys(pins))
	return s.end(in, t, line, reply)
}

// end reads the entries and the reply that remain at the end of a branch.
func (s *State) end(in *pages, t text, line journal, reply event) error {
	if err := s.timeline.read(in, line); err != nil {
		return err
	}
	s.text, s.line, s.live = t, line, s.timeline.liveSlots()
	if reply.reply {
		entry, _, err := in.entry(reply)
		if err != nil {
			return err
		}
		s.Reply = entry.Text()
	}
	s.Entries = s.timeline.entries()
	return nil
}

// unread represents an entry that has not been read yet.
var unread = new(history.Content)

// read reads the entries that are still unread.
func (t *timeline) read(in *pages, line journal) error {
	for i, s := range t.slots {
		if s.entry != unread {
			continue
		}
		at, _ := line.find(s.brought)
		entry, _, err := in.entry(line[at])
		if err != nil {
			return err
		}
		t.slots[i].entry = entry
	}
	return nil
}

func (s *State) pruned(at time.Time, prunes []prunePayload, cut *history.PruningCost) {
	for _, p := range prunesIn(prunes, cut) {
		p.At, p.Turn = at, s.Turn
		s.Prunes = append(s.Prunes, p)
	}
}

// prunesIn returns recorded prunes with their positions in the log and their pruning pass.
func prunesIn(recorded []prunePayload, cut *history.PruningCost) []history.Prune {
	prunes := make([]history.Prune, len(recorded))
	for i, p := range recorded {
		p.Recorded, p.Cut = p.places(), cut
		prunes[i] = p.Prune
	}
	return prunes
}
