package compression

import (
	"context"
)

// byModel asks a model to summarize the entries before the preserved tail. If it keeps the top, it
// summarizes only the entries between top and tail.
type byModel struct {
	name     string
	keepsTop bool
}

var (
	// middleOut keeps the beginning and the end of a conversation (D-34).
	middleOut = byModel{"middle-out", true}
	// oneShot keeps the end of a conversation (D-35).
	oneShot = byModel{"one-shot", false}
)

func (s byModel) Name() string    { return s.name }
func (byModel) RequiresLLM() bool { return true }

func (byModel) Trigger() Trigger {
	return Trigger{Mode: TriggerThreshold, DefaultThreshold: defaultThreshold}
}

// fewestBetween is the smallest number of entries that must be between top and tail (D-34).
const fewestBetween = 4

func (s byModel) Compress(ctx context.Context, c Context) (Result, error) {
	switch {
	case len(c.History) == 0:
		return noop(s, c, reasonEmpty), nil
	case nothingSince(c.History, isSummaryOfEntries):
		return noop(s, c, reasonUnchanged), nil
	}
	n, g := len(c.History), groupEntries(c.History)
	part := span{to: g.boundary(min(n-tailSize(n, c.PreserveThreshold), latestCalls(c.History)))}
	if s.keepsTop {
		part.from = g.boundary(topSize(n, c.TopPreserveThreshold))
	}
	switch {
	case s.keepsTop && part.to-part.from < fewestBetween:
		return noop(s, c, reasonBetween), nil
	case part.to == 0:
		return noop(s, c, reasonTail), nil
	}
	return summarizePart(ctx, s, c, part)
}
