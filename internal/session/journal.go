package session

import (
	"cmp"
	"iter"
	"slices"

	"agent/internal/history"
)

// journal is what a log says of a conversation, record by record: the trunk of what
// happened, with the branches that were left behind by going back. It says where each
// record is; what that holds is read when it is needed.
type journal []event

// event is a record that changes the conversation.
type event struct {
	seq uint64
	// to is the record a rewind returns to, from just before it; 0 for anything else.
	to uint64
	// at and length are its place in the text, line its number there, for notices.
	at     int64
	length int
	line   int
	// speaks is set for what a conversation is: an entry, a compression, a clear.
	speaks, entry, clears bool
	// message is set for an entry that the user wrote, reply for one in which the model
	// says something.
	message, reply bool
}

// happened puts a record into the journal, and what an entry counts into the state.
func (p *player) happened(payload any, e event) {
	switch payload := payload.(type) {
	case *history.Content:
		e.speaks, e.entry, e.message = true, true, payload.IsMessage()
		e.reply = payload.Speaker == history.AI && payload.Text() != ""
		if model, ratio, known := payload.Scale(); known {
			p.state.Scales[model] = ratio
		}
		p.state.hasEntries = true
		p.state.Counts.add(payload)
	case compressionPayload:
		e.speaks = true
	case clearPayload:
		e.speaks, e.clears = true, true
	case rewindPayload:
		e.to = payload.To
	}
	p.journal = append(p.journal, e)
}

// line returns what led to the state before the record seq, in order: everything
// that was recorded, but for what was left behind.
func (j journal) line(before uint64) journal {
	until, _ := j.find(before)
	if !slices.ContainsFunc(j[:until], event.rewinds) {
		return j[:until:until]
	}
	line := slices.Collect(j.before(until))
	slices.Reverse(line)
	return line
}

// find is the index of the record seq, or of the first after it where it is not there.
func (j journal) find(seq uint64) (i int, found bool) {
	return slices.BinarySearchFunc(j, seq, func(e event, seq uint64) int { return cmp.Compare(e.seq, seq) })
}

// before are the events that led to the state before the one at index i, the latest first.
func (j journal) before(i int) iter.Seq[event] {
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

// latest returns the record of the latest event before index i for which is returns true,
// 0 for none.
func (j journal) latest(i int, is func(event) bool) uint64 {
	for e := range j.before(i) {
		if is(e) {
			return e.seq
		}
	}
	return 0
}

func (e event) rewinds() bool { return e.to > 0 }
