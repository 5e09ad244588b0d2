package atcmd

import (
	"strings"

	"agent/internal/history"
)

// MessageOf returns the message of an entry, to be edited and sent again. The new message includes
// the files that the old one included with @. It omits images that were attached by hand, because
// the entry does not store their paths.
func MessageOf(entry *history.Content) Message {
	var message Message
	for _, block := range entry.Blocks {
		text, ok := block.(*history.Text)
		if !ok || text.IncludedFile != "" {
			continue
		}
		part := Part{Text: text.Text, Source: text.Source}
		if text.Source != "" {
			part.Text = untitled(text.Text)
		}
		if lead := text.Text; len(message) == 0 && (strings.HasPrefix(lead, "/") || strings.HasPrefix(lead, "!")) {
			part.Source = history.SourcePasted // as typed text, the message would run a command
		}
		message = append(message, part)
	}
	return message
}

// untitled returns data without its title and fence, if it has them.
func untitled(text string) string {
	title, fencedData, ok := strings.Cut(text, ":\n\n")
	if !ok || strings.Contains(title, "\n") || !strings.HasPrefix(title, "Pasted") && !strings.HasPrefix(title, "Piped in") {
		return text
	}
	fence, data, ok := strings.Cut(fencedData, "\n")
	if !ok || len(fence) < 3 || strings.Trim(fence, "`") != "" {
		return text
	}
	return strings.TrimSuffix(strings.TrimSuffix(data, fence+"\n"), "\n")
}
