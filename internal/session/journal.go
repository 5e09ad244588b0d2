package session

import (
	"cmp"
	"iter"
	"slices"

	"agent/internal/history"
)

// journal lists the records that change a conversation, in the order of the log. It includes branches that
// a rewind abandoned. It contains only the position of each record. The content is read when it is needed.
type journal []event

// event is a record that changes the conversation.
type event struct {
	seq uint64
	// to is the number of the record to which a rewind returns: to the state just before that record. It is
	// 0 for other events.
	to uint64
	// at and length are the position and size of the record in the log, in bytes.
	at     int64
	length int
	// line is the line number of the record, for notices.
	line int
	// speaks is set for an entry, a compression and a clear.
	speaks bool
	// entry is set for an entry, and clears for a clear.
	entry, clears bool
	// prunes is set for a density record, which prunes content.
	prunes bool
	// message is set for an entry that the user wrote.
	message bool
	// reply is set for an entry that contains a text of the model.
	reply bool
}

// appendEvent appends a record to the journal and updates the counts of the state.
func (p *player) appendEvent(payload any, e event) {
	switch payload := payload.(type) {
	case *history.Content:
		e.speaks, e.entry, e.message = true, true, payload.IsMessage()
		e.reply = payload.Speaker == history.AI && payload.Text() != ""
		if model, ratio, known := payload.Scale(); known {
			p.state.Scales[model] = ratio
		}
		if model, limit, known := payload.Limit(); known {
			p.state.Limits[model] = limit
		}
		p.state.hasEntries = true
		p.state.Counts.add(payload)
	case densityPayload:
		e.prunes = true
	case compressionPayload:
		e.speaks = true
	case clearPayload:
		e.speaks, e.clears = true, true
	case rewindPayload:
		e.to = payload.To
	}
	p.journal = append(p.journal, e)
}

// line returns the events that led to the state before the record with the number before, in order. It
// omits branches that a rewind abandoned.
func (j journal) line(before uint64) journal {
	until, _ := j.find(before)
	if !slices.ContainsFunc(j[:until], event.rewinds) {
		return j[:until:until]
	}
	line := slices.Collect(j.eventsBefore(until))
	slices.Reverse(line)
	return line
}

// find returns the index of the record seq. If it is missing, it returns the index of the first record
// after it.
func (j journal) find(seq uint64) (i int, found bool) {
	return slices.BinarySearchFunc(j, seq, func(e event, seq uint64) int { return cmp.Compare(e.seq, seq) })
}

// eventsBefore returns the events that led to the state before index i, the latest first.
func (j journal) eventsBefore(i int) iter.Seq[event] {
	return func(yield func(event) bool) {
		for i--; i >= 0; i-- {
			if j[i].rewinds() {
				i, _ = j.find(j[i].to)
			} else if !yield(j[i]) {
				return
			}
		}
	}
}

// latest returns the number of the latest record before index i for which is returns true, or 0 for none.
func (j journal) latest(i int, is func(event) bool) uint64 {
	for e := range j.eventsBefore(i) {
		if is(e) {
			return e.seq
		}
	}
	return 0
}

func (e event) rewinds() bool { return e.to > 0 }
