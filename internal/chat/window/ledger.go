package window

import (
	"slices"

	"agent/internal/compression"
	"agent/internal/history"
)

// ledger is the record of pruned content, for people. Its sizes are by our own count, as in the
// log, because each program learns the provider's count anew.
type ledger struct {
	prunes []Prune
	// turn is the number of the user's latest message.
	turn int
}

// NextTurn notes that the user sent a message. Prunes are grouped by the message during which
// they happened.
func (w *Window) NextTurn() { w.ledger.turn++ }

// Ledger lists the content that left the context since it was last cleared, oldest first. The
// number of a line, from 1, does not change. Its size, by our own count, does not change either,
// and is the only number shown for content that density freed.
func (w *Window) Ledger() []Prune { return slices.Clone(w.ledger.prunes) }

// Restore restores the ledger of a recorded session in which the user has sent turn messages.
func (w *Window) Restore(recorded []Prune, turn int) {
	w.ledger = ledger{prunes: slices.Clone(recorded), turn: turn}
}

// Compressed reports whether a compression, and not density, took the content of a line (D-49).
func Compressed(p Prune) bool {
	return p.Kind == compression.Summarised || p.Kind == compression.Dropped
}

// Freed returns the number of tokens that density has freed so far: the sum of its lines in the
// Ledger (D-49).
func (w *Window) Freed() int {
	return freed(w.ledger.prunes)
}

// Freed returns the number of tokens that this run of density freed: the sum of its lines in the
// Ledger.
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

// record adds prunes to the ledger, and returns their lines.
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
