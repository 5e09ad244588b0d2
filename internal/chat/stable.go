package chat

import (
	"agent/internal/compression"
	"agent/internal/history"
)

// stable is how many entries at the beginning of a history density leaves as they
// are from now on: those before the first that brings a file, or output that can
// be had again, into the context.
func stable(entries []*history.Content, facts compression.Facts) int {
	for i, entry := range entries {
		for _, block := range entry.Blocks {
			switch b := block.(type) {
			case *history.Text:
				if b.IncludedFile != "" {
					return i
				}
			case *history.ToolCall:
				if f := facts(b.Name); f.Retrievable() || f.WritesFile() {
					return i
				}
			}
		}
	}
	return len(entries)
}
