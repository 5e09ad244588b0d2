package offline

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/history"
	"agent/internal/settings"
	"agent/internal/words"
)

// arrived are the entries of a stretch as they would have come with the setting
// found-max-tokens: answers of commands and searches that are longer are cut to their head
// and tail. What shows files is left alone, and so is everything with 0: what was recorded
// is what there was.
func (e *Engine) arrived(s stretch) []*history.Content {
	most := settings.FoundMaxTokens.Of(e.Settings)
	if most == 0 {
		return s.entries
	}
	entries := s.entries
	for _, found := range s.needs.Found() {
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

// headAndTail keeps about so many bytes of a text, half of them from each end, in whole
// lines where they are short enough.
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
