package compression

import (
	"context"
	"slices"

	"agent/internal/history"
)

// highDensity makes the context denser before every request. If that is not enough, it shortens
// old tool results, and at last drops old entries. It never asks a model (REQ-HD-004.3,
// REQ-HD-008.1).
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

// Compress puts one-line summaries in place of all tool results before the
// preserved tail, and drops old entries only if that leaves more than the target
// (D-25 … D-27).
func (s highDensity) Compress(_ context.Context, c Context) (Result, error) {
	if len(c.History) == 0 {
		return noop(s, c, reasonEmpty), nil
	}
	if nothingSince(c.History, isMarker) {
		return noop(s, c, reasonUnchanged), nil
	}
	return s.compress(c, tailSize(len(c.History), c.PreserveThreshold)), nil
}

// tailSize returns the number of entries, of n, that are kept as they are, at least one (D-25).
func tailSize(n int, preserve float64) int {
	return max(1, topSize(n, preserve))
}

// compress keeps a tail of at least size entries, and the results that the model is about to
// read, and aims for the target.
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

// summarizeHead returns the history with the results before tail summarised, and its tokens. Only
// entries that change are counted again. Entries of humans and the model are left alone, even
// where a damaged history has a response in one (REQ-HD-008.4).
func summarizeHead(c Context, g groups, tail int) ([]*history.Content, []int) {
	entries, tokens := slices.Clone(c.History), slices.Clone(c.Tokens)
	calls, facts := g.callOf(), c.Facts.memoised()
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

// dropHead drops groups that begin before tail until target is met (D-27, D-47), in this order:
// calls with their responses, other entries of ai and tools, files included in human messages,
// instructions, human messages. The first message of the user stays, since it gives the subject
// of the conversation. The latest message stays too, even when the tail begins after it, since
// the model works on it.
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
