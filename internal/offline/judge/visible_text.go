package judge

import (
	"slices"
	"strings"

	"agent/internal/compression"
	"agent/internal/history"
)

// VisibleText contains the content of a request that the model sees.
type VisibleText struct {
	recording *Recording
	entries   []*history.Content
	// count contains, for each rare word, the number of blocks with the word.
	count  []int
	blocks map[history.Block]*seen
}

// seen contains the texts and rare words of one block.
type seen struct {
	texts []string
	words []int32
}

// NewVisibleText returns a VisibleText of an empty request.
func NewVisibleText(r *Recording) *VisibleText {
	return &VisibleText{recording: r, count: make([]int, len(r.words)), blocks: map[history.Block]*seen{}}
}

// SetEntries replaces the content by the entries of the next request. Entries are compared by identity,
// because most are the same in consecutive requests.
func (s *VisibleText) SetEntries(entries []*history.Content) {
	start := 0
	for start < len(entries) && start < len(s.entries) && entries[start] == s.entries[start] {
		start++
	}
	end := 0
	for end < min(len(entries), len(s.entries))-start && entries[len(entries)-1-end] == s.entries[len(s.entries)-1-end] {
		end++
	}
	s.add(s.entries[start:len(s.entries)-end], -1)
	s.add(entries[start:len(entries)-end], 1)
	s.entries = entries
}

func (s *VisibleText) add(entries []*history.Content, n int) {
	for _, entry := range entries {
		for _, block := range entry.Blocks {
			for _, word := range s.of(block).words {
				s.count[word] += n
			}
		}
	}
}

func (s *VisibleText) of(block history.Block) *seen {
	known, ok := s.blocks[block]
	if ok {
		return known
	}
	known = &seen{texts: textsOf(block)}
	found := map[int32]bool{}
	for _, text := range known.texts {
		for word := range compression.NameWords(text) {
			if n, rare := s.recording.words[word]; rare && !found[n] {
				found[n] = true
				known.words = append(known.words, n)
			}
		}
	}
	s.blocks[block] = known
	return known
}

// Contains reports whether text is anywhere in the request. It searches the newest entries first.
func (s *VisibleText) Contains(text string) bool {
	for i := len(s.entries) - 1; i >= 0; i-- {
		for _, block := range s.entries[i].Blocks {
			for _, shown := range s.of(block).texts {
				if strings.Contains(shown, text) {
					return true
				}
			}
		}
	}
	return false
}

// CountLostWords returns how many of the rare words of a reply are nowhere in the request.
func (s *VisibleText) CountLostWords(r Reply) int {
	lost := 0
	for _, rare := range r.Rare {
		if s.count[rare] == 0 {
			lost++
		}
	}
	return lost
}

// textsOf returns the texts that a model reads in a block. If a tool numbered the lines of a file, it
// adds the text without the numbers. The model's reasoning has no texts here, because it is not sent.
func textsOf(block history.Block) []string {
	switch b := block.(type) {
	case *history.Text:
		return []string{b.Text}
	case *history.ToolResponse:
		texts := []string{b.Result.Text()}
		if plain := compression.TrimLineNumbers(texts[0]); plain != texts[0] {
			texts = append(texts, plain)
		}
		if b.Error != "" {
			texts = append(texts, b.Error)
		}
		return texts
	case *history.ToolCall:
		return slices.AppendSeq([]string{b.Name}, compression.ArgumentTexts(b.Parameters))
	default:
		return nil
	}
}
