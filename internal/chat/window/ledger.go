package window

import (
	"slices"

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

// Ledger lists every prune of the session, oldest first.
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
		l.freed += p.Tokens
	}
}

// Freed is what density has saved so far, in tokens (D-49).
func (w *Window) Freed() int { return w.ledger.freed }

// record adds what density removed to the ledger.
func (w *Window) record(prunes []history.Prune, cut *history.Cut) []Prune {
	records := make([]Prune, len(prunes))
	for i, p := range prunes {
		records[i] = Prune{
			Kind:    p.Kind,
			Subject: p.Subject,
			Reason:  p.Reason,
			Tokens:  w.scaled(p.Tokens),
			Turn:    w.ledger.turn,
			At:      w.Now(),

			Recorded: p.Recorded,
			Cut:      cut,
		}
	}
	w.ledger.add(records)
	return records
}
