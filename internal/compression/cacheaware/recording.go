package cacheaware

import (
	"encoding/json"
	"iter"

	"agent/internal/history"
)

// A RecordedUnit is a unit before any pruning, for code that measures the effect of pruning.
type RecordedUnit struct {
	// Entry and Block are the indexes of the unit's entry and of its block in the entry.
	Entry, Block int
	// Request is the first request that contains the unit.
	Request int
	// Text is the text that the unit shows, without line numbers.
	Text string
	// Tokens is the size of the unit.
	Tokens int
	// Fixed is set if the unit never changes.
	Fixed bool
	// Written is set if the model wrote the unit: text, or a part of a call.
	Written bool
	// Path is the file whose lines From to To the unit shows, or "" if the unit is not a view.
	Path     string
	From, To int
	// Whole is set if the unit shows all lines of the file.
	Whole bool
	// Found is set if the unit is the result of a command or a search, and does not show a file.
	// Command is the command.
	Found   bool
	Command string
}

// A Quote is a text that an edit replaces.
type Quote struct {
	// Reply is the request whose reply made the edit.
	Reply int
	// Path is the file, and Text the old text that the edit quotes.
	Path, Text string
	// Applied is set if the edit was made.
	Applied bool
}

// RecordedUnits lists the units of a conversation that was never pruned.
func (e *Engine) RecordedUnits() []RecordedUnit {
	parts := make([]RecordedUnit, len(e.conversation.units))
	for at := range e.conversation.units {
		u := &e.conversation.units[at]
		entry := e.conversation.entries[u.entry]
		parts[at] = RecordedUnit{
			Entry: u.entry, Block: u.block, Request: u.sent, Text: u.text, Tokens: u.full,
			Fixed: u.fixed(), Written: entry.Speaker == history.AI,
			Found: u.part == result && (u.fact.act == EffectShell || u.fact.act == EffectSearch),
		}
		if parts[at].Found {
			parts[at].Command = u.fact.line
		}
		if u.part == result && u.fact.act == EffectView && u.fact.ok {
			parts[at].Path, parts[at].From, parts[at].To, parts[at].Whole = u.fact.path(), u.fact.lo, u.fact.hi, u.fact.wholeView()
		}
		if u.fixed() {
			parts[at].Text = e.conversation.fixedText(u)
		}
	}
	return parts
}

// fixedText returns the text of a unit that never changes.
func (cv *conversation) fixedText(u *unit) string {
	switch b := cv.entries[u.entry].Blocks[u.block].(type) {
	case *history.Text:
		return b.Text
	case *history.ToolCall:
		return b.Name + " " + shortParameters(b, longArguments(b, cv.Tools(b.Name)))
	case *history.ToolResponse:
		return b.Result.Text()
	}
	return ""
}

// Quotes lists the texts that the edits of a conversation quote, in order.
func (e *Engine) Quotes() []Quote {
	var quotes []Quote
	for at := range e.conversation.units {
		u := &e.conversation.units[at]
		if u.part != head {
			continue
		}
		for _, change := range u.fact.edits {
			if change.before != "" {
				quotes = append(quotes, Quote{Reply: u.sent - 1, Path: change.path, Text: change.before, Applied: u.fact.ok})
			}
		}
	}
	return quotes
}

// ArgumentTexts yields the texts among the parameters of a call. It stops where the parameters are not valid
// JSON.
func ArgumentTexts(parameters json.RawMessage) iter.Seq[string] {
	return func(yield func(string) bool) {
		for a := range textArguments(parameters) {
			if !yield(a.text) {
				return
			}
		}
	}
}
