package offline

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/tools"
)

// referenceTokens limits the answers of commands and searches in the reference AsSent. It does not
// follow changes of the default of found-max-tokens, so that figures of different versions are
// comparable.
const referenceTokens = 2000

// cut returns the entries of a span. It cuts the longer answers of commands and searches to a head and
// a tail, of most tokens in total. With shorten it first shortens the output of commands, as the shell
// tool does. A limit of 0 cuts nothing. outlines maps the positions of views to the outlines that
// replace them. Other answers that show files are not changed.
func (s Span) cut(most int, shorten bool, outlines map[history.Ref]string) []*history.Content {
	if most == 0 && outlines == nil {
		return s.entries
	}
	return s.changed(func(part compression.RecordedUnit, text string) string {
		if outline, ok := outlines[history.Ref{Entry: part.Entry, Block: part.Block}]; ok {
			return outline
		}
		if !part.Found || most == 0 {
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

// withoutNumbers returns the entries of a span without the line numbers in views.
func (s Span) withoutNumbers() []*history.Content {
	return s.changed(func(part compression.RecordedUnit, text string) string {
		if part.Path == "" {
			return text
		}
		return compression.TrimLineNumbers(text)
	})
}

// changed returns the entries of a span with the texts of answers replaced by the results of change. It
// copies the entries that it changes.
func (s Span) changed(change func(part compression.RecordedUnit, text string) string) []*history.Content {
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

// outlines returns the outlines that replace whole views, as read_file returns them for files of more
// than limit tokens. It also returns the outlined files.
func (s Span) outlines(ctx context.Context, limit int, facts compression.TraitsLookup) (texts map[history.Ref]string, files map[string]bool) {
	if limit < 1 {
		return nil, nil
	}
	met := map[string]int{} // the number of the first reply that edits a file
	for reply, needs := range s.Needs.Replies {
		for _, q := range needs.Quotes {
			if _, ok := met[q.Path]; !ok {
				met[q.Path] = reply
			}
		}
	}
	texts, files = map[history.Ref]string{}, map[string]bool{}
	viewed := map[string]bool{}
	var said []string // the messages of the user
	for _, part := range s.Needs.Parts {
		entry := s.entries[part.Entry]
		if entry.Speaker == history.Human {
			said = append(said, part.Text)
		}
		if part.Path == "" {
			continue
		}
		first, edited := !viewed[part.Path], false
		if reply, ok := met[part.Path]; ok {
			edited = reply < part.Request
		}
		viewed[part.Path] = true
		response, ok := entry.Blocks[part.Block].(*history.ToolResponse)
		asked := func(message string) bool { return history.AsksFor(message, part.Path) }
		if !ok || !first || edited || !part.Whole || len(facts(response.ToolName).Command) > 0 || slices.ContainsFunc(said, asked) {
			continue
		}
		if text, ok := tools.TextOutline(ctx, filepath.Base(part.Path), compression.TrimLineNumbers(part.Text), limit); ok {
			texts[history.Ref{Entry: part.Entry, Block: part.Block}], files[part.Path] = text, true
		}
	}
	return texts, files
}

// aroundLines is the number of lines on each side of a text that is read again after the model has seen
// only the outline of the file.
const aroundLines = 40

func around(text, quote string) string {
	before, after, ok := strings.Cut(text, quote)
	if !ok {
		return text
	}
	head, tail := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	return strings.Join(head[max(0, len(head)-aroundLines-1):], "") + quote + strings.Join(tail[:min(len(tail), aroundLines+1)], "")
}
