package offline

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/tools"
)

// referenceTokens bounds the answers of commands and searches in the reference AsSent. It stays as it is
// when the default of found-max-tokens changes, so that figures of different versions compare.
const referenceTokens = 2000

// cut returns the entries of a stretch with the longer answers of commands and searches cut to the
// head and tail of most tokens. With shorten it makes the output of commands shorter first, as the
// shell tool does. Answers that show files are left alone. A limit of 0 changes nothing.
func (s Stretch) cut(most int, shorten bool) []*history.Content {
	if most == 0 {
		return s.entries
	}
	return s.changed(func(part compression.RecordedUnit, text string) string {
		if !part.Found {
			return text
		}
		limit := len(text) * most / max(part.Tokens, 1)
		if head, tail, ok := tools.FitOutput(part.Command, text, limit); ok && part.Command != "" && shorten {
			return joined(text, head, tail)
		}
		if part.Tokens <= most {
			return text
		}
		return headAndTail(text, limit)
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
// copies the entries that it changes.
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
	return joined(text, head, tail)
}

// joined returns the beginning of a text and, if there is one, its end, with a note between them.
func joined(text, head, tail string) string {
	if tail == "" {
		return head
	}
	gone := len(text) - len(head) - len(tail)
	return strings.ToValidUTF8(fmt.Sprintf("%s\n[%s left out here]\n%s", strings.TrimSuffix(head, "\n"), humanize.Bytes(int64(gone)), tail), "")
}
