package compression

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/history"
)

// A compression keeps instructions such as the content of skills, the latest first. The limits in
// tokens are mostInstruction for each, mostInstructions in total, and a quarter (1/instructionShare) of
// the context window (D-94).
const (
	mostInstruction  = 5_000
	mostInstructions = 15_000
	instructionShare = 4
)

// instructions returns the entries that a compression keeps because they instruct the model, by their
// index. It keeps the newest content of each source, cut to its limit. All other results of a source
// become a line like any result, and the model can request them again.
func (c Context) instructions() map[int]*history.Content {
	kept, seen := map[int]*history.Content{}, map[string]bool{}
	left := min(mostInstructions, c.ContextLimit/instructionShare)
	for i, entry := range slices.Backward(c.History) {
		key := entry.Key()
		if !history.IsInstructionKey(key) || seen[key] {
			continue
		}
		seen[key] = true
		short := c.beginning(entry, min(mostInstruction, left))
		if short == nil {
			continue
		}
		kept[i] = short
		left -= c.Count(short)
	}
	return kept
}

// beginning cuts an entry to at most the given number of tokens. It returns nil if the rest would be
// too short to be useful.
func (c Context) beginning(entry *history.Content, most int) *history.Content {
	if c.Count(entry) <= most {
		return entry
	}
	response, ok := entry.Blocks[0].(*history.ToolResponse)
	if !ok || len(entry.Blocks) > 1 || most < leastMessage {
		return nil
	}
	text := response.Result.Text()
	return c.fitted(len(text), most, func(size int) *history.Content {
		head := text[:size]
		if end := strings.LastIndexByte(head, '\n'); end > size/2 {
			head = head[:end]
		}
		head = strings.ToValidUTF8(head, "")
		return entry.WithBlocks([]history.Block{response.WithResult(head + fmt.Sprintf("\n[… %d bytes left out to make room; ask for them again if they matter …]", len(text)-len(head)))})
	})
}

// fitted returns the longest entry from cut with at most the given number of tokens, or nil. It tries
// decreasing numbers of bytes, because the number of tokens per byte varies.
func (c Context) fitted(bytes, most int, cut func(bytes int) *history.Content) *history.Content {
	for bytes > 0 {
		short := cut(bytes)
		tokens := c.Count(short)
		if tokens <= most {
			return short
		}
		bytes = min(bytes*15/16, bytes*most/tokens)
	}
	return nil
}

// instructing returns the groups before tail that instruct the model, by their roots.
func (t *truncation) instructing(tail int) map[int]bool {
	found := map[int]bool{}
	for i, entry := range t.entries[:tail] {
		if !history.IsInstructionKey(entry.Key()) || len(entry.Blocks) == 0 {
			continue
		}
		if response, ok := entry.Blocks[0].(*history.ToolResponse); ok && !isSummary(response.Result.Text(), response) {
			found[t.root[i]] = true
		}
	}
	return found
}
