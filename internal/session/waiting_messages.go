package session

import (
	"bytes"
	"encoding/json"
	"slices"
)

// waitingPayload changes the queue of messages that wait for the end of a turn.
type waitingPayload struct {
	// Taken is the number of messages that are removed from the beginning of the queue.
	Taken int `json:"taken,omitempty"`
	// Withdrawn is the number of messages that are removed from the end of the queue.
	Withdrawn int `json:"withdrawn,omitempty"`
	// Added holds the messages that are added to the queue after Taken and Withdrawn are applied.
	Added []json.RawMessage `json:"added,omitempty"`
}

// RecordWaiting records the messages that wait for the end of a turn, in order, if they have
// changed. It returns when the record is on disk.
func (l *Log) RecordWaiting(messages []json.RawMessage) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	moved, changed := changeOf(l.waiting, messages)
	if !changed {
		return nil
	}
	l.waiting = slices.Clone(messages)
	return l.append(change{kind: TypeWaiting, payload: moved})
}

// changeOf returns the change from one queue to another. It returns false if they are equal.
func changeOf(before, after []json.RawMessage) (waitingPayload, bool) {
	for taken := range len(before) + 1 {
		kept := 0
		for kept < min(len(before)-taken, len(after)) && bytes.Equal(before[taken+kept], after[kept]) {
			kept++
		}
		if kept > 0 || taken == len(before) {
			change := waitingPayload{Taken: taken, Withdrawn: len(before) - taken - kept, Added: after[kept:]}
			return change, taken > 0 || change.Withdrawn > 0 || len(change.Added) > 0
		}
	}
	return waitingPayload{}, false
}

// applyTo returns the queue after the change. If the record is damaged, it removes no more messages than
// there are.
func (w waitingPayload) applyTo(waiting []json.RawMessage) []json.RawMessage {
	from := min(max(w.Taken, 0), len(waiting))
	to := max(from, len(waiting)-max(w.Withdrawn, 0))
	return slices.Concat(waiting[from:to], w.Added)
}
