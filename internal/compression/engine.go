package compression

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"agent/internal/compression/cacheaware"
	"agent/internal/history"
	"agent/internal/toolspec"
)

// An Engine, and the types of its parameters and results.
type (
	// An Engine follows one conversation, decides which parts to prune, and does the cost accounting
	// of its requests. The package cacheaware, which only this one imports, contains the rules.
	Engine = *cacheaware.Engine
	// EngineOptions holds the dependencies of an Engine.
	EngineOptions = cacheaware.Options
	// Price holds the prices of cached and of other input tokens.
	Price = cacheaware.Price
	// PriceStep holds the input prices of requests with more than Above input tokens.
	PriceStep = cacheaware.PriceStep
	// RequestFacts holds the facts that are known when a request is about to be sent.
	RequestFacts = cacheaware.RequestFacts
	// Plan lists the changes of the context before a request, with their cost.
	Plan = cacheaware.Plan
	// PrunablePart describes a part of the context that pruning could remove but has not removed.
	PrunablePart = cacheaware.PrunablePart
	// PrunableTokens sums up the content that could be pruned and is still in the context, in tokens.
	PrunableTokens = cacheaware.PrunableTokens
	// Account compares the amount spent with the cost without pruning.
	Account = cacheaware.Account
	// RequestCost holds the cost of one request.
	RequestCost = cacheaware.RequestCost
	// Request describes an answered request, and is stored in the metadata of the reply.
	Request = cacheaware.Request
)

// MetaRequest is the metadata key under which a reply stores the Request that it answers.
const MetaRequest = cacheaware.MetaRequest

var (
	// SafePrice is assumed for models of unknown price.
	SafePrice = cacheaware.SafePrice
	// LocalPrice is the price for a server whose tokens cost nothing.
	LocalPrice = cacheaware.LocalPrice
)

// NewPrice returns the price of a model from its prices of input tokens: uncached, read from a cache,
// and written to a cache. It returns SafePrice if input is 0.
func NewPrice(input, read, write float64) Price { return cacheaware.NewPrice(input, read, write) }

// NewPriceStep returns the prices above a step, relative to the price of input below the step.
func NewPriceStep(above int, input, stepInput, read, write float64) PriceStep {
	factor := stepInput / input
	p := NewPrice(stepInput, read, write)
	return PriceStep{Above: above, Read: factor * p.Read, Write: factor * p.Write}
}

// IsTurnBoundary reports whether the next request begins a turn: the entries after the latest reply begin
// with a message, not with an answer to a call. If reasoning is bound to the earlier content, that
// content may change only there.
func IsTurnBoundary(entries []*history.Content) bool {
	begins := false
	for _, entry := range slices.Backward(entries) {
		if entry.Speaker == history.AI {
			return begins
		}
		begins = entry.Speaker == history.Human
	}
	return true
}

// NewEngine returns an Engine for an empty conversation.
func NewEngine(o EngineOptions) Engine { return cacheaware.New(o) }

// WithPlaceholder returns a result whose text is replaced by a placeholder. number is the number of
// the prune, with which the model can recall the text, or 0.
func WithPlaceholder(r *history.ToolResponse, number int) *history.ToolResponse {
	return cacheaware.WithPlaceholder(r, number)
}

// PlaceholderNumber returns the number in the first placeholder of text, or 0 if there is none.
func PlaceholderNumber(text string) int { return cacheaware.PlaceholderNumber(text) }

// IsPlaceholder reports whether the text of a result is a placeholder.
func IsPlaceholder(text string) bool {
	_, heading := toolspec.ParseReport(text) // the heading stays in the entry
	text = text[len(heading):]
	return text == PrunedPlaceholder || strings.HasPrefix(text, cacheaware.PlaceholderPrefix)
}

// HasOmissionNote reports whether text contains a note about an omitted part.
func HasOmissionNote(text string) bool { return cacheaware.HasOmissionNote(text) }

// The units and quotes of a recording, for code that measures the effect of pruning.
type (
	// RecordedUnit is the smallest part of a conversation that pruning can change.
	RecordedUnit = cacheaware.RecordedUnit
	// EditQuote is a text that an edit replaces.
	EditQuote = cacheaware.Quote
)

// RecordedUnits returns the units of a conversation that was never pruned, and the texts that its edits
// quote, in order.
func RecordedUnits(entries []*history.Content, o EngineOptions) ([]RecordedUnit, []EditQuote) {
	engine := cacheaware.New(o)
	engine.SetEntries(entries)
	return engine.RecordedUnits(), engine.Quotes()
}

// NameWords yields the words of text that look like identifiers of a program, not prose.
func NameWords(text string) iter.Seq[string] { return cacheaware.NameWords(text) }

// ArgumentTexts yields the texts among the parameters of a call. It stops where the parameters are not
// valid JSON.
func ArgumentTexts(parameters json.RawMessage) iter.Seq[string] {
	return cacheaware.ArgumentTexts(parameters)
}

// TrimLineNumbers returns text without the line numbers that tools put before the lines of a file.
func TrimLineNumbers(text string) string { return cacheaware.TrimLineNumbers(text) }
