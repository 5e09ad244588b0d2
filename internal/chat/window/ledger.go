package window

import (
	"cmp"
	"slices"
	"time"

	"agent/internal/compression"
	"agent/internal/history"
)

// Ledger lists pruned content for the user. Its sizes are by our own count, as in the session log,
// because each process calibrates the provider's count again.
type Ledger struct {
	heads *HeadBuilder
	facts compression.TraitsLookup
	now   func() time.Time

	prunes []Prune
	// turn is the number of the user's latest message.
	turn int
}

// NextTurn records that the user sent a message. Prunes are grouped by the turn in which they happened.
func (l *Ledger) NextTurn() { l.turn++ }

// Lines lists the content pruned since the context was last cleared, oldest first. The number of a
// line, from 1, does not change. Its size, by our own count, does not change either. No other size is
// shown for content that density pruned.
func (l *Ledger) Lines() []Prune { return slices.Clone(l.prunes) }

// Restore restores the ledger of a recorded session in which the user has sent turn messages.
func (l *Ledger) Restore(recorded []Prune, turn int) {
	l.prunes, l.turn = slices.Clone(recorded), turn
}

// IsByCompression reports whether a compression, not density, removed the content of a line (D-49).
func IsByCompression(p Prune) bool {
	return p.Kind == compression.PruneSummarized || p.Kind == compression.PruneDropped
}

// PrunedTokens returns the number of tokens that density has pruned so far: the sum of its lines (D-49).
func (l *Ledger) PrunedTokens() int { return freed(l.prunes) }

// PrunedTokens returns the number of tokens that this run of density pruned: the sum of its lines in the
// Ledger.
func (d Density) PrunedTokens() int { return freed(d.Prunes) }

func freed(prunes []Prune) int {
	sum := 0
	for _, p := range prunes {
		if !IsByCompression(p) {
			sum += p.Tokens
		}
	}
	return sum
}

// record adds prunes to the ledger, and returns their lines.
func (l *Ledger) record(prunes []history.Prune, cut *history.PruningCost) []Prune {
	if len(prunes) == 0 {
		return nil
	}
	records := slices.Clone(prunes)
	now := l.now()
	for i := range records {
		r := &records[i]
		r.Entry, r.Gone, r.Left = 0, nil, nil
		r.Turn, r.At, r.Cut = l.turn, now, cut
	}
	l.prunes = append(l.prunes, records...)
	return slices.Clone(records)
}

// nextNumber returns the ledger number of the content that is pruned next. With after, it returns the
// number that many lines later. It returns 0 if the model has no tool to recall content by number.
func (l *Ledger) nextNumber(after int) int {
	if !l.heads.recalls() {
		return 0
	}
	return len(l.prunes) + after + 1
}

// nameCalls sets the Call of each prune that removed a call or a result from entries.
func (l *Ledger) nameCalls(prunes []history.Prune, entries []*history.Content) {
	for i := range prunes {
		p := &prunes[i]
		for _, block := range p.Gone {
			if call := callOf(block, entries[:min(p.Entry+1, len(entries))]); call != nil {
				p.Call = l.title(call)
				break
			}
		}
	}
}

// title describes a call on one line. If a placeholder replaced the arguments of the call, title uses
// the description from the ledger line that the placeholder names.
func (l *Ledger) title(call *history.ToolCall) string {
	title := l.facts(call.Name).Describe(call.Name, call.Arguments()).Title()
	if number := compression.PlaceholderNumber(title); number > 0 && number <= len(l.prunes) {
		return cmp.Or(l.prunes[number-1].Call, title)
	}
	return title
}

// callOf returns the call in the entries to which a block belongs. The block may be the call, its
// answer or one of its arguments. It returns nil for any other block.
func callOf(block history.Block, entries []*history.Content) *history.ToolCall {
	var id string
	switch b := block.(type) {
	case *history.ToolResponse:
		id = b.CallID
	case *history.ToolCall:
		id = b.ID
	default:
		return nil
	}
	for _, entry := range slices.Backward(entries) {
		for _, block := range entry.Blocks {
			if call, ok := block.(*history.ToolCall); ok && call.ID == id {
				return call
			}
		}
	}
	return nil
}
