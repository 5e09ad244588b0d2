package offline

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/history"
	"agent/internal/settings"
	"agent/internal/words"
)

// withLimits returns the entries of a stretch as they would be under the setting found-max-tokens:
// longer answers of commands and searches are cut to their head and tail. Answers that show files
// are left alone. With a setting of 0 nothing is cut.
func (e *Engine) withLimits(s Stretch) []*history.Content {
	most := settings.FoundMaxTokens.Of(e.Settings)
	if most == 0 {
		return s.entries
	}
	entries := s.entries
	for _, found := range s.Needs.Found() {
		if found.Tokens <= most {
			continue
		}
		if &entries[0] == &s.entries[0] {
			entries = slices.Clone(entries)
		}
		entry := entries[found.Entry]
		blocks := slices.Clone(entry.Blocks)
		response, ok := blocks[found.Block].(*history.ToolResponse)
		if !ok {
			continue
		}
		text := response.Result.Text()
		blocks[found.Block] = response.WithResult(headAndTail(text, len(text)*most/found.Tokens))
		entries[found.Entry] = entry.WithBlocks(blocks)
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
