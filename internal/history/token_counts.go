package history

import (
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// A Counter counts the tokens of a text. It must be safe for concurrent use. A Counter may also have a
// method Vocabulary() string, which returns the name of the vocabulary on which its counts depend.
// Recorded counts of an entry in the same vocabulary are then reused.
type Counter interface{ Count(text string) int }

// TokenCounts contains the sizes of an entry's blocks in tokens of a vocabulary.
type TokenCounts struct {
	Vocabulary string
	Blocks     []int
}

// vocabularyOf returns the name of the counter's vocabulary, or "" if it has none.
func vocabularyOf(counter Counter) string {
	if named, ok := counter.(interface{ Vocabulary() string }); ok {
		return named.Vocabulary()
	}
	return ""
}

// SetTokens sets the counts made when the entry was recorded. It must be called before the entry is
// shared. Implausible counts are ignored.
func (c *Content) SetTokens(counts TokenCounts) {
	if counts.Vocabulary != "" && len(counts.Blocks) == len(c.Blocks) && !slices.ContainsFunc(counts.Blocks, func(n int) bool { return n < 0 }) {
		c.counts = counts
	}
}

// CountTokens counts an entry once for all services that count with the same vocabulary. It must be
// called before the entry is shared.
func (c *Content) CountTokens(counter Counter) {
	c.SetTokens(count(counter, c).tokenCounts(counter))
}

// BlockTokens returns the size of a block of the entry in a request, as totals count it. It uses
// the counts of SetTokens if the counter has the same vocabulary.
func (c *Content) BlockTokens(block int, counter Counter) int {
	if c.counts.Vocabulary != "" && c.counts.Vocabulary == vocabularyOf(counter) {
		return c.counts.Blocks[block]
	}
	return countBlock(counter, c.Blocks[block])
}

// The tokens that a provider adds to the text. They are estimates, which the calibration by reported
// usage (D-09) corrects.
const (
	// EntryTokens is the size of an entry without its blocks, if it is sent at all.
	EntryTokens      = 4
	callOverhead     = 8
	responseOverhead = 6
	// mediaTokens is the approximate price of a screenshot, for images of unknown size. For other
	// images providers charge one token for each pixelsPerToken pixels, within limits.
	mediaTokens       = 1100
	pixelsPerToken    = 750
	fewestMediaTokens = 85
	mostMediaTokens   = 3300
	// A PDF is charged by its pages, whose number is unknown. The estimate is one token for each
	// pdfBytesPerToken bytes of its base64 form.
	pdfBytesPerToken = 40
)

// imageTokens returns the size of an image in a request.
func imageTokens(m *Media) int {
	if m.MimeType == PDF {
		return max(len(m.Data)/pdfBytesPerToken, mediaTokens)
	}
	if m.Width <= 0 || m.Height <= 0 {
		return mediaTokens
	}
	pixels := float64(m.Width) * float64(m.Height)
	return int(min(max(pixels/pixelsPerToken, fewestMediaTokens), mostMediaTokens))
}

// countBlock returns the size of a block in a request, in tokens, never below zero (ERR-022). Thinking
// counts only if its provider requires it.
func countBlock(counter Counter, block Block) int {
	tokens := 0
	switch b := block.(type) {
	case *Text:
		tokens = counter.Count(b.Text)
		if b.Tools != nil {
			for _, t := range b.Tools.Added {
				tokens += counter.Count(t.Name + t.Description + string(t.Schema))
			}
		}
	case *ToolCall:
		tokens = callOverhead + counter.Count(b.Name) + counter.Count(string(b.Parameters)) + countAttached(counter, b.Attached, "")
	case *Thinking:
		tokens = countAttached(counter, b.Attached, b.Thought)
	case *ToolResponse:
		tokens = responseOverhead + counter.Count(b.Result.Text()) + counter.Count(b.Error)
	case *Media:
		tokens = imageTokens(b)
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

// Empty reports whether the entry contains nothing that could be sent: no blocks, or only blank text
// and thinking.
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

// counted is an entry with the stored token counts of its blocks (D-01).
type counted struct {
	content *Content
	blocks  []int
	tokens  int
	// unsent is set if requests omit the entry's thinking, which then counts 0 tokens.
	unsent bool
}

func (e counted) withThinking(counter Counter, sent bool) counted {
	blocks := slices.Clone(e.blocks)
	for i, b := range e.content.Blocks {
		if _, is := b.(*Thinking); is {
			if blocks[i] = 0; sent {
				blocks[i] = countBlock(counter, b)
			}
		}
	}
	n := sum(e.content, blocks)
	n.unsent = !sent
	return n
}

func count(counter Counter, c *Content) counted {
	if c.counts.Vocabulary != "" && c.counts.Vocabulary == vocabularyOf(counter) {
		return sum(c, c.counts.Blocks)
	}
	return recount(counter, c, counted{})
}

// countAll counts entries on all processors, so that a long session opens at once.
func countAll(counter Counter, entries []*Content) []counted {
	all := make([]counted, len(entries))
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i, entry := range entries {
		workers.Go(func() error {
			all[i] = count(counter, entry)
			return nil
		})
	}
	_ = workers.Wait()
	return all
}

// recount counts c, an edit of old. It counts only the blocks that are not in old.
func recount(counter Counter, c *Content, old counted) counted {
	known := make(map[Block]int, len(old.blocks))
	for i, tokens := range old.blocks {
		known[old.content.Blocks[i]] = tokens
	}
	blocks := make([]int, len(c.Blocks))
	for i, block := range c.Blocks {
		tokens, ok := known[block]
		if !ok {
			tokens = countBlock(counter, block)
		}
		blocks[i] = tokens
	}
	n := sum(c, blocks)
	n.unsent = old.unsent
	return n
}

// tokenCounts returns the counts to record, or none if the counter's vocabulary has no name.
func (c counted) tokenCounts(counter Counter) TokenCounts {
	if name := vocabularyOf(counter); name != "" {
		return TokenCounts{name, c.blocks}
	}
	return TokenCounts{}
}

func sum(c *Content, blocks []int) counted {
	n := counted{content: c, blocks: blocks}
	if c.Empty() {
		return n // the entry is not sent
	}
	n.tokens = EntryTokens
	for _, tokens := range blocks {
		n.tokens += tokens
	}
	return n
}

// Usage holds the estimated tokens of a history by speaker and kind.
type Usage struct {
	Human       int
	Assistant   int
	ToolCalls   int
	ToolResults int
}

// Usage returns the sums of the stored token counts by kind. It adds the overhead of an entry to the
// count of its speaker, so that the parts add up to TotalTokens.
func (s *Service) Usage() Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	var u Usage
	for _, e := range s.entries {
		rest := e.tokens
		for i, block := range e.content.Blocks {
			if _, call := block.(*ToolCall); call {
				u.ToolCalls += e.blocks[i]
				rest -= e.blocks[i]
			}
		}
		switch e.content.Speaker {
		case Human:
			u.Human += rest
		case AI:
			u.Assistant += rest
		case Tool:
			u.ToolResults += rest
		}
	}
	return u
}
