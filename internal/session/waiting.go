package session

import (
	"bytes"
	"encoding/json"
	"slices"
)

// waitingPayload changes which messages wait: Taken of them from the beginning and
// Withdrawn from the end wait no longer, and those in Added wait behind the rest.
type waitingPayload struct {
	Taken     int               `json:"taken,omitempty"`
	Withdrawn int               `json:"withdrawn,omitempty"`
	Added     []json.RawMessage `json:"added,omitempty"`
}

// Waiting records which messages wait for the end of a turn, in order, where that has
// changed. It returns when the record is on disk.
func (l *Log) Waiting(messages []json.RawMessage) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	moved, changed := changeOf(l.waiting, messages)
	if !changed {
		return nil
	}
	l.waiting = slices.Clone(messages)
	return l.append(change{kind: TypeWaiting, payload: moved})
}

// changeOf is what leads from some waiting messages to others; false for nothing.
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

// after is what waits after the change. Of a damaged record nothing is taken that is not
// there.
func (w waitingPayload) after(waiting []json.RawMessage) []json.RawMessage {
	from := min(max(w.Taken, 0), len(waiting))
	to := max(from, len(waiting)-max(w.Withdrawn, 0))
	return slices.Concat(waiting[from:to], w.Added)
}
