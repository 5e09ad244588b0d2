package session

import (
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
	// to is the record a rewind returns to, from just before it.
	to uint64
	// at and length are its place in the text, line its number there, for notices.
	at     int64
	length int
	line   int
	kind   happening
	// message is set for an entry that the user wrote, reply for one in which the model
	// says something.
	message, reply bool
}

// happening says what an event is.
type happening uint8

const (
	added happening = iota
	densified
	compressed
	cleared
	rewound
	pinned
	todosSet
)

// happened puts a record into the journal, and what an entry counts into the state.
func (p *player) happened(payload any, e event) {
	switch payload := payload.(type) {
	case *history.Content:
		e.kind, e.message = added, payload.IsMessage()
		e.reply = payload.Speaker == history.AI && payload.Text() != ""
		if model, ratio, known := payload.Scale(); known {
			p.state.Scales[model] = ratio
		}
		p.state.hasEntries = true
		p.state.Counts.add(payload)
	case densityPayload:
		e.kind = densified
	case compressionPayload:
		e.kind = compressed
	case clearPayload:
		e.kind = cleared
	case rewindPayload:
		e.kind, e.to = rewound, payload.To
	case pinPayload:
		e.kind = pinned
	case todoPayload:
		e.kind = todosSet
	}
	p.journal = append(p.journal, e)
}

// line returns what led to the state before the record seq, in order: everything
// that was recorded, but for what was left behind.
func (j journal) line(before uint64) journal {
	until := j.until(before)
	if !slices.ContainsFunc(j[:until], func(e event) bool { return e.kind == rewound }) {
		return j[:until:until]
	}
	var line journal
	j.before(until, func(e event) bool {
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

// find is the event of the record seq.
func (j journal) find(seq uint64) (event, bool) {
	if i := j.until(seq); i < len(j) && j[i].seq == seq {
		return j[i], true
	}
	return event{}, false
}

// before calls f for the events that led to the state before the one at index i, the
// latest first, until f returns false.
func (j journal) before(i int, f func(event) bool) {
	for i--; i >= 0; i-- {
		if j[i].kind == rewound {
			i = j.until(j[i].to)
			continue
		}
		if !f(j[i]) {
			return
		}
	}
}

// speaks reports whether an event is part of what a conversation is: something said, a
// compression, a clear.
func (e event) speaks() bool { return e.kind == added || e.kind == compressed || e.kind == cleared }
