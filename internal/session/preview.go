package session

import (
	"os"
	"slices"
	"strings"

	"agent/internal/history"
	"agent/internal/words"
)

// previewBytes is how much of the end of a log a preview reads.
const previewBytes = 256 << 10

// Preview is the end of what was said in the session at path, for a person that chooses
// one: the latest messages of the user and what the model said, the newest last.
func Preview(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	data, err := linesFrom(f, max(0, info.Size()-previewBytes), info.Size())
	if err != nil {
		return ""
	}
	const mostShown, longestShown = 6, 600
	var said []string
	for r := range backward(data) {
		var entry history.Content
		if r.Type != TypeEntry || entry.UnmarshalJSON(r.Payload) != nil {
			continue
		}
		text := strings.TrimSpace(entry.Said())
		switch {
		case text == "" || entry.Speaker == history.Tool:
			continue
		case entry.Speaker == history.Human:
			text = "> " + text
		}
		if len(text) > longestShown {
			text = words.Line(text, longestShown)
		}
		if said = append(said, text); len(said) == mostShown {
			break
		}
	}
	slices.Reverse(said)
	return strings.Join(said, "\n\n")
}
