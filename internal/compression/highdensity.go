package compression

import (
	"context"
	"slices"

	"agent/internal/history"
)

// highDensity prunes before every request. If that is not enough, it shortens old tool results, and
// finally drops old entries. It never calls a model (REQ-HD-004.3, REQ-HD-008.1).
type highDensity struct{}

func (highDensity) Name() string      { return DefaultName }
func (highDensity) RequiresLLM() bool { return false }

func (highDensity) Trigger() Trigger {
	return Trigger{Mode: TriggerContinuous, DefaultThreshold: defaultThreshold}
}

// Optimize implements Optimizer.
func (highDensity) Optimize(raw []*history.Content, config DensityConfig) (history.DensityResult, error) {
	return optimize(raw, config)
}

// Compress replaces all tool results before the preserved tail by one-line summaries. It drops old
// entries only if the total then still exceeds the target (D-25 … D-27).
func (s highDensity) Compress(_ context.Context, c Context) (Result, error) {
	if len(c.History) == 0 {
		return noop(s, c, reasonEmpty), nil
	}
	if nothingSince(c.History, isMarker) {
		return noop(s, c, reasonUnchanged), nil
	}
	return s.compress(c, tailSize(len(c.History), c.PreserveThreshold)), nil
}

// compress keeps a tail of at least size entries and the results that the model has not read yet. It
// aims for the target.
func (s highDensity) compress(c Context, size int) Result {
	g := groupEntries(c.History)
	tail := g.boundary(min(len(c.History)-size, latestCalls(c.History)))
	result := noop(s, c, reasonTail)
	if tail > 0 {
		entries, tokens := summarizeHead(c, g, tail)
		t := newTruncation(c, entries, tokens, g)
		t.dropHead(tail, c.Target())
		entries, total := t.result()
		result = localResult(s, c, seal(entries), total)
	}
	result.Tail = len(c.History) - tail
	return result
}

// summarizeHead returns the history with the results before tail summarized, and its tokens. It counts
// only changed entries again. It does not change entries of humans and the model, even if a damaged
// history has a response in one (REQ-HD-008.4).
func summarizeHead(c Context, g groups, tail int) ([]*history.Content, []int) {
	entries, tokens := slices.Clone(c.History), slices.Clone(c.Tokens)
	calls, facts := g.callOf(), c.Facts.memoized()
	kept := c.instructions()
	for i, entry := range c.History[:tail] {
		if entry.Speaker != history.Tool {
			continue
		}
		if short := kept[i]; short != nil {
			entries[i], tokens[i] = short, c.Count(short)
			continue
		}
		var edited []history.Block
		for j, block := range entry.Blocks {
			response, ok := block.(*history.ToolResponse)
			if !ok {
				continue
			}
			short := summarize(response, calls[history.Ref{Entry: i, Block: j}], facts)
			if short == response {
				continue
			}
			if edited == nil {
				edited = slices.Clone(entry.Blocks)
			}
			edited[j] = short
		}
		if edited != nil {
			entries[i] = entry.WithBlocks(edited)
			tokens[i] = c.Count(entries[i])
		}
	}
	return entries, tokens
}

// dropHead drops groups that begin before tail until target is met (D-27, D-47). The order is: calls
// with their responses, other entries of ai and tools, files included in human messages, instructions,
// human messages. It keeps the user's first message, which is the subject of the conversation. It also
// keeps the latest message, even if the tail begins after it, because the model still works on it.
func (t *truncation) dropHead(tail, target int) {
	human := func(i int) bool { return t.entries[i].Speaker == history.Human }
	first, last := outerHumans(t.entries)
	instructs := t.instructing(tail)
	_ = t.dropUntil(target, tail, func(i int) bool { return t.hasCall[i] && !human(i) && !instructs[t.root[i]] }) ||
		t.dropUntil(target, tail, func(i int) bool { return !human(i) && !instructs[t.root[i]] }) ||
		t.dropInclusionsUntil(target, tail) ||
		t.dropUntil(target, tail, func(i int) bool { return !human(i) }) ||
		t.dropUntil(target, tail, func(i int) bool { return i != first && i != last })
}
