package offline

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/words"
)

// referenceTokens bounds the answers of commands and searches in the reference AsSent. It stays as it is
// when the default of found-max-tokens changes, so that figures of different versions compare.
const referenceTokens = 2000

// cut returns the entries of a stretch with the longer answers of commands and searches cut to the
// head and tail of most tokens. Answers that show files are left alone. A limit of 0 cuts nothing.
func (s Stretch) cut(most int) []*history.Content {
	if most == 0 {
		return s.entries
	}
	return s.changed(func(part compression.RecordedUnit, text string) string {
		if !part.Found || part.Tokens <= most {
			return text
		}
		return headAndTail(text, len(text)*most/part.Tokens)
	})
}

// withoutNumbers returns the entries of a stretch without the numbers before the lines of views.
func (s Stretch) withoutNumbers() []*history.Content {
	return s.changed(func(part compression.RecordedUnit, text string) string {
		if part.Path == "" {
			return text
		}
		return compression.WithoutNumbers(text)
	})
}

// changed returns the entries of a stretch with the texts of answers as change returns them. It
// copies what it changes.
func (s Stretch) changed(change func(part compression.RecordedUnit, text string) string) []*history.Content {
	entries := s.entries
	for _, part := range s.Needs.Parts {
		response, ok := entries[part.Entry].Blocks[part.Block].(*history.ToolResponse)
		if !ok {
			continue
		}
		text := response.Result.Text()
		arrives := change(part, text)
		if arrives == text {
			continue
		}
		if &entries[0] == &s.entries[0] {
			entries = slices.Clone(entries)
		}
		entry := entries[part.Entry]
		blocks := slices.Clone(entry.Blocks)
		blocks[part.Block] = response.WithResult(arrives)
		entries[part.Entry] = entry.WithBlocks(blocks)
	}
	return entries
}

// headAndTail keeps about limit bytes of a text, half of them from each end. It keeps whole lines
// if they are short enough.
func headAndTail(text string, limit int) string {
	head, tail := text[:limit/2], text[len(text)-limit/2:]
	if end := strings.LastIndexByte(head, '\n'); end > limit/4 {
		head = head[:end]
	}
	if start := strings.IndexByte(tail, '\n') + 1; start < limit/4 {
		tail = tail[start:]
	}
	gone := len(text) - len(head) - len(tail)
	return strings.ToValidUTF8(fmt.Sprintf("%s\n[%s left out here]\n%s", head, words.Bytes(int64(gone)), tail), "")
}
