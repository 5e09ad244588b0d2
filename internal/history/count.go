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

// countBlock returns the tokens block takes in a request. Thinking is not sent
// and counts nothing.
func countBlock(counter Counter, block Block) int {
	switch b := block.(type) {
	case *Text:
		return counter.Count(b.Text)
	case *ToolCall:
		return callOverhead + counter.Count(b.Name) + counter.Count(string(b.Parameters))
	case *ToolResponse:
		return responseOverhead + counter.Count(b.Result.Text()) + counter.Count(b.Error)
	case *Media:
		return mediaTokens
	default:
		return 0
	}
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

func count(counter Counter, c *Content) counted {
	return recount(counter, c, counted{content: &Content{}})
}

// recount counts c, an edit of old, and counts only the blocks that old lacks.
func recount(counter Counter, c *Content, old counted) counted {
	n := counted{content: c, blocks: make([]int, len(c.Blocks)), tokens: entryOverhead}
	for i, block := range c.Blocks {
		n.blocks[i] = -1
		for j, known := range old.content.Blocks {
			if known == block {
				n.blocks[i] = old.blocks[j]
				break
			}
		}
		if n.blocks[i] < 0 {
			n.blocks[i] = countBlock(counter, block)
		}
		n.tokens += n.blocks[i]
	}
	return n
}
