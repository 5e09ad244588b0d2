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

// A Follower, and the types of its parameters and results.
type (
	// A Follower follows one conversation, decides which parts to prune, and does the cost accounting
	// of its requests. The package cacheaware, which only this one imports, contains the rules.
	Follower = *cacheaware.Engine
	// FollowerOptions holds the dependencies of a Follower.
	FollowerOptions = cacheaware.Options
	// Price holds the prices of cached and of other input tokens.
	Price = cacheaware.Price
	// PriceStep holds the prices of longer requests.
	PriceStep = cacheaware.PriceStep
	// Moment holds the facts that are known when a request is about to be sent.
	Moment = cacheaware.Moment
	// Plan lists the changes of the context before a request, with their cost.
	Plan = cacheaware.Plan
	// HeldPart describes a part of the context that pruning could remove but has not removed.
	HeldPart = cacheaware.HeldPart
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

// PriceOf returns the price of a model from its prices of input tokens: uncached, read from a cache,
// and written to a cache. It returns SafePrice if input is 0.
func PriceOf(input, read, write float64) Price { return cacheaware.PriceOf(input, read, write) }

// StepOf returns the prices above a step, relative to the price of input below the step.
func StepOf(above int, input, stepInput, read, write float64) PriceStep {
	factor := stepInput / input
	p := PriceOf(stepInput, read, write)
	return PriceStep{Above: above, Read: factor * p.Read, Write: factor * p.Write}
}

// AtBoundary reports whether the next request begins a turn: the entries after the latest reply begin
// with a message, not with an answer to a call. If reasoning is bound to the earlier content, that
// content may change only there.
func AtBoundary(entries []*history.Content) bool {
	begins := false
	for _, entry := range slices.Backward(entries) {
		if entry.Speaker == history.AI {
			return begins
		}
		begins = entry.Speaker == history.Human
	}
	return true
}

// NewFollower returns a Follower of an empty conversation.
func NewFollower(o FollowerOptions) Follower { return cacheaware.New(o) }

// WithPointer returns a result whose text is replaced by a placeholder with the number.
func WithPointer(r *history.ToolResponse, number int) *history.ToolResponse {
	return cacheaware.WithPointer(r, number)
}

// NumberIn returns the number in the first placeholder of text, or 0 if there is none.
func NumberIn(text string) int { return cacheaware.NumberIn(text) }

// IsPointer reports whether the text of a result is a placeholder.
func IsPointer(text string) bool {
	_, heading := toolspec.Reported(text) // the heading stays in the entry
	text = text[len(heading):]
	return text == PrunedPointer || strings.HasPrefix(text, cacheaware.Marker)
}

// HoldsNote reports whether text contains a note about an omitted part.
func HoldsNote(text string) bool { return cacheaware.HoldsNote(text) }

// CopyIn returns the text of a file that a Follower put into a result, or false if there is none.
func CopyIn(answer *history.ToolResponse) (text string, ok bool) { return cacheaware.CopyIn(answer) }

// The units and quotes of a recording, for code that measures the effect of pruning.
type (
	// RecordedUnit is the smallest part of a conversation that pruning can change.
	RecordedUnit = cacheaware.RecordedUnit
	// EditQuote is a text that an edit replaces.
	EditQuote = cacheaware.Quote
)

// RecordedUnits returns the units of a conversation that was never pruned, and the texts that its edits
// quote, in order.
func RecordedUnits(entries []*history.Content, o FollowerOptions) ([]RecordedUnit, []EditQuote) {
	engine := cacheaware.New(o)
	engine.SetEntries(entries)
	return engine.RecordedUnits(), engine.Quotes()
}

// NameWords yields the words of text that look like identifiers of a program, not prose.
func NameWords(text string) iter.Seq[string] { return cacheaware.NameWords(text) }

// ArgumentTexts yields the texts among the parameters of a call. It stops where the parameters are not
// valid JSON.
func ArgumentTexts(parameters json.RawMessage) iter.Seq[string] { return cacheaware.Texts(parameters) }

// WithoutNumbers returns text without the line numbers that tools put before the lines of a file.
func WithoutNumbers(text string) string { return cacheaware.WithoutNumbers(text) }
