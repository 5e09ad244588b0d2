package main

import (
	"strings"

	"agent/internal/history"
	"agent/internal/tui"
)

// earlierOf is what a person needs to see to go on with a conversation: their latest
// messages, and what the model did and last said to each.
func earlierOf(entries []*history.Content) tui.Earlier {
	var e tui.Earlier
	for _, entry := range entries {
		if entry.Speaker == history.Human && entry.Metadata[history.MetaSummary] == nil && entry.Metadata[history.MetaRestored] == nil {
			e.Exchanges = append(e.Exchanges, tui.Exchange{Said: ownWords(entry)})
			e.Unfinished = true
			continue
		}
		if len(e.Exchanges) == 0 || entry.Speaker != history.AI {
			continue
		}
		exchange := &e.Exchanges[len(e.Exchanges)-1]
		if text := entry.Text(); text != "" {
			exchange.Reply = text
		}
		calls := entry.Calls()
		for _, call := range calls {
			exchange.Calls = append(exchange.Calls, call.Name)
		}
		e.Unfinished = len(calls) > 0 || entry.Metadata[history.MetaInterrupted] == true
	}
	return e
}

// ownWords is what the user typed, without the files and data that were put in; the
// first line of those when there is nothing else.
func ownWords(entry *history.Content) string {
	if said := strings.TrimSpace(entry.Said()); said != "" {
		return said
	}
	line, _, _ := strings.Cut(strings.TrimSpace(entry.Text()), "\n")
	return line
}
