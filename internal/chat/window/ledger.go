package window

import (
	"slices"

	"agent/internal/compression"
	"agent/internal/history"
)

// ledger is the record of what was pruned, for people.
type ledger struct {
	prunes []Prune
	// turn is the number of the user's latest message.
	turn  int
	freed int
}

// NextTurn notes that the user said something: prunes are told by the message
// during which they happened.
func (w *Window) NextTurn() { w.ledger.turn++ }

// Ledger lists what left the context since it was cleared last, oldest first. The
// number of a line, from 1, stays what it is.
func (w *Window) Ledger() []Prune { return slices.Clone(w.ledger.prunes) }

// Restore takes up the ledger of a recorded session in which the user has sent so many
// messages.
func (w *Window) Restore(recorded []Prune, turn int) {
	w.ledger.turn = turn
	w.ledger.add(recorded)
}

func (l *ledger) add(prunes []Prune) {
	l.prunes = append(l.prunes, prunes...)
	for _, p := range prunes {
		if !p.Compressed() {
			l.freed += p.Tokens
		}
	}
}

// Compressed reports whether a compression took it, not density (D-49).
func (p Prune) Compressed() bool {
	return p.Kind == compression.Summarised || p.Kind == compression.Dropped
}

// Freed is what density has saved so far, in tokens (D-49).
func (w *Window) Freed() int { return w.ledger.freed }

// record adds what was removed to the ledger.
func (w *Window) record(prunes []history.Prune, cut *history.Cut) []Prune {
	if len(prunes) == 0 {
		return nil
	}
	records := make([]Prune, len(prunes))
	now := w.Now()
	for i, p := range prunes {
		records[i] = Prune{
			Kind:    p.Kind,
			Subject: p.Subject,
			Tool:    p.Tool,
			Reason:  p.Reason,
			Tokens:  w.scaled(p.Tokens),
			Turn:    w.ledger.turn,
			At:      now,

			Recorded: p.Recorded,
			Cut:      cut,
		}
	}
	w.ledger.add(records)
	return records
}
