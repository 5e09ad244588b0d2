package history

import "strings"

// Counter counts the tokens of a text.
type Counter interface{ Count(text string) int }

// Tokens a provider spends around the words themselves. They are estimates;
// calibration by reported usage (D-09) takes up the rest.
const (
	entryOverhead    = 4
	callOverhead     = 8
	responseOverhead = 6
	// mediaTokens is about what providers charge for a screenshot-sized image.
	mediaTokens = 1100
)

// countBlock returns the tokens block takes in a request, never less than none
// (ERR-022). Thinking counts when its provider wants it back.
func countBlock(counter Counter, block Block) int {
	tokens := 0
	switch b := block.(type) {
	case *Text:
		tokens = counter.Count(b.Text)
	case *ToolCall:
		tokens = callOverhead + counter.Count(b.Name) + counter.Count(string(b.Parameters)) + countAttached(counter, b.Attached, "")
	case *Thinking:
		tokens = countAttached(counter, b.Attached, b.Thought)
	case *ToolResponse:
		tokens = responseOverhead + counter.Count(b.Result.Text()) + counter.Count(b.Error)
	case *Media:
		tokens = mediaTokens
	}
	return max(tokens, 0)
}

func countBlocks(counter Counter, blocks []Block) int {
	total := 0
	for _, b := range blocks {
		total += countBlock(counter, b)
	}
	return total
}

// Empty reports whether the entry says nothing that could be sent: no blocks, or
// only blank text and thinking.
func (c *Content) Empty() bool {
	for _, block := range c.Blocks {
		switch b := block.(type) {
		case *Thinking:
		case *Text:
			if strings.TrimSpace(b.Text) != "" {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// counted is an entry with the memoised counts of its blocks (D-01).
type counted struct {
	content *Content
	blocks  []int
	tokens  int
}

func count(counter Counter, c *Content) counted { return recount(counter, c, counted{}) }

// recount counts c, an edit of old, and counts only the blocks that old lacks.
func recount(counter Counter, c *Content, old counted) counted {
	known := make(map[Block]int, len(old.blocks))
	for i, tokens := range old.blocks {
		known[old.content.Blocks[i]] = tokens
	}
	n := counted{content: c, blocks: make([]int, len(c.Blocks)), tokens: entryOverhead}
	for i, block := range c.Blocks {
		tokens, ok := known[block]
		if !ok {
			tokens = countBlock(counter, block)
		}
		n.blocks[i] = tokens
		n.tokens += tokens
	}
	if c.Empty() {
		n.tokens = 0 // it is not sent (D-07)
	}
	return n
}
