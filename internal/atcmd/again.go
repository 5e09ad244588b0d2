package atcmd

import (
	"strings"

	"agent/internal/history"
)

// Again is the message that became an entry, to be edited and sent again: what it
// included with @ is left to be included anew. Images that were picked by hand are not
// in it, for their files are not known any more.
func Again(entry *history.Content) Message {
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
			part.Source = history.Pasted // typed, it would have been a command
		}
		message = append(message, part)
	}
	return message
}

// untitled is data without the title and the fence that it is in, if it does.
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
