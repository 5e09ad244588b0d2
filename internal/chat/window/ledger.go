package window

import (
	"slices"

	"agent/internal/compression"
	"agent/internal/history"
)

// ledger is the record of what was pruned, for people. Its sizes are by our own count, as
// the log has them: what they are at a provider is learned anew by every program.
type ledger struct {
	prunes []Prune
	// turn is the number of the user's latest message.
	turn int
}

// NextTurn notes that the user said something: prunes are grouped by the message
// during which they happened.
func (w *Window) NextTurn() { w.ledger.turn++ }

// Ledger lists what left the context since it was cleared last, oldest first. The
// number of a line, from 1, stays what it is, and so does its size, by our own count: it
// is the one number that is shown of what density freed.
func (w *Window) Ledger() []Prune { return slices.Clone(w.ledger.prunes) }

// Restore restores the ledger of a recorded session in which the user has sent so many
// messages.
func (w *Window) Restore(recorded []Prune, turn int) {
	w.ledger = ledger{prunes: slices.Clone(recorded), turn: turn}
}

// Compressed reports whether a compression took what a line is about, not density (D-49).
func Compressed(p Prune) bool {
	return p.Kind == compression.Summarised || p.Kind == compression.Dropped
}

// Freed is what density has freed so far, in tokens: the sum of its lines in the Ledger
// (D-49).
func (w *Window) Freed() int {
	return freed(w.ledger.prunes)
}

// Freed is what this run of density freed: the sum of its lines in the Ledger.
func (d Density) Freed() int { return freed(d.Prunes) }

func freed(prunes []Prune) int {
	sum := 0
	for _, p := range prunes {
		if !Compressed(p) {
			sum += p.Tokens
		}
	}
	return sum
}

// record adds what was removed to the ledger, and returns its lines.
func (w *Window) record(prunes []history.Prune, cut *history.Cut) []Prune {
	if len(prunes) == 0 {
		return nil
	}
	records := slices.Clone(prunes)
	now := w.Now()
	for i := range records {
		r := &records[i]
		r.Entry, r.Gone, r.Left = 0, nil, nil
		r.Turn, r.At, r.Cut = w.ledger.turn, now, cut
	}
	w.ledger.prunes = append(w.ledger.prunes, records...)
	return slices.Clone(records)
}
