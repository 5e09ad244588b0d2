package compression

import (
	"fmt"
	"strings"

	"agent/internal/history"
	"agent/internal/words"
)

// withoutInclusions returns a message of the user in which each file that was
// included with @ is a line that names it, or the message itself when that would not
// be shorter (D-47). The user's own words stay.
func withoutInclusions(entry *history.Content) *history.Content {
	var edited []history.Block
	for i, block := range entry.Blocks {
		text, ok := block.(*history.Text)
		if !ok || text.IncludedFile == "" {
			continue
		}
		stub := fmt.Sprintf("[%s: removed to fit the context limit, %s]", words.Line(text.IncludedFile, maxKeyLength), size(betweenMarkers(text.Text)))
		if len(stub) >= len(text.Text) {
			continue
		}
		if edited == nil {
			edited = append(edited, entry.Blocks...)
		}
		edited[i] = &history.Text{Text: stub}
	}
	if edited == nil {
		return entry
	}
	return entry.WithBlocks(edited)
}

// betweenMarkers is the content of an inclusion, without its first and last line.
func betweenMarkers(inclusion string) string {
	_, content, _ := strings.Cut(inclusion, "\n")
	return content[:max(0, strings.LastIndexByte(content, '\n'))]
}

// dropInclusionsUntil takes included files out of human messages before end, oldest
// first, until the total is at most target. It reports whether it is.
func (t *truncation) dropInclusionsUntil(target, end int) bool {
	for i := 0; i < end && t.total > target; i++ {
		if t.gone[t.root[i]] || t.entries[i].Speaker != history.Human {
			continue
		}
		stubbed := withoutInclusions(t.entries[i])
		if stubbed == t.entries[i] {
			continue
		}
		freed := t.tokens[i] - t.count(stubbed)
		t.entries[i] = stubbed
		t.weight[t.root[i]] -= freed
		t.total -= freed
	}
	return t.total <= target
}
