package window

import (
	"cmp"
	"slices"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm"
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

// nextNumber returns the number that content gets in the ledger when it leaves next, or, with
// after, that many lines later. It returns 0 if the model has no tool to ask for content by number.
func (w *Window) nextNumber(after int) int {
	if !w.recalls() {
		return 0
	}
	return len(w.ledger.prunes) + after + 1
}

// recalls reports whether the model has a tool to ask for what left the context.
func (m *measure) recalls() bool {
	return slices.ContainsFunc(m.Head().Tools, func(tool llm.ToolSpec) bool { return m.Facts(tool.Name).NeedsRecord })
}

// nameCalls sets the Call of each prune that took a call or a result out of entries.
func (w *Window) nameCalls(prunes []history.Prune, entries []*history.Content) {
	for i := range prunes {
		p := &prunes[i]
		for _, block := range p.Gone {
			if call := callOf(block, entries[:min(p.Entry+1, len(entries))]); call != nil {
				p.Call = w.title(call)
				break
			}
		}
	}
}

// title describes a call on one line. Where only a pointer is left of what it asked for, the
// line of the ledger that the pointer names tells it.
func (w *Window) title(call *history.ToolCall) string {
	title := w.Facts(call.Name).Describe(call.Name, call.Parameters).Title()
	if number := compression.NumberIn(title); number > 0 && number <= len(w.ledger.prunes) {
		return cmp.Or(w.ledger.prunes[number-1].Call, title)
	}
	return title
}

// callOf returns the call in the entries that a block belongs to: as its answer, as the call, or
// as one of its arguments. It returns nil for any other block.
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
