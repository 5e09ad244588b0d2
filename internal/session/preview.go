package session

import (
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/history"
)

// previewBytes is the size of the end of a log that a preview reads.
const previewBytes = 256 << 10

// Preview returns the latest messages of the user and the model in the session at path, the newest last. It
// is for lists from which a user chooses a session.
func Preview(path string) string {
	f, err := fsutil.Open(path)
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
	var texts []string
	for r := range recordsBackward(data) {
		var entry history.Content
		if r.Type != TypeEntry || entry.UnmarshalJSON(r.Payload) != nil {
			continue
		}
		text := strings.TrimSpace(entry.OwnText())
		switch {
		case text == "" || entry.Speaker == history.Tool:
			continue
		case entry.Speaker == history.Human:
			text = "> " + text
		}
		if len(text) > longestShown {
			text = humanize.Line(text, longestShown)
		}
		if texts = append(texts, text); len(texts) == mostShown {
			break
		}
	}
	slices.Reverse(texts)
	return strings.Join(texts, "\n\n")
}
