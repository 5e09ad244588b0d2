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

// A Follower, and the values that it takes and returns.
type (
	// A Follower follows one conversation, decides which parts may leave it, and keeps the account of
	// its requests. The package cacheaware, which only this one imports, has the rules.
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
	// HeldPart describes a part of the context that pruning could take and has not taken.
	HeldPart = cacheaware.HeldPart
	// PrunableTokens sums up the content that could be pruned and is still in the context, in tokens.
	PrunableTokens = cacheaware.PrunableTokens
	// Account compares the amount spent with the cost of sending everything.
	Account = cacheaware.Account
	// RequestCost holds the cost of one request.
	RequestCost = cacheaware.RequestCost
	// Request records a request that was answered, in the metadata of the reply.
	Request = cacheaware.Request
)

// MetaRequest is the key of a reply's metadata that holds the Request it answers.
const MetaRequest = cacheaware.MetaRequest

var (
	// SafePrice is assumed for models of unknown price.
	SafePrice = cacheaware.SafePrice
	// LocalPrice is the price of a server whose tokens cost nothing.
	LocalPrice = cacheaware.LocalPrice
)

// PriceOf returns the price of a model from the prices of its input tokens: plain, read from a
// cache, and written to a cache. It returns SafePrice if input has no price.
func PriceOf(input, read, write float64) Price { return cacheaware.PriceOf(input, read, write) }

// StepOf returns the prices above a step, relative to the price of input below it.
func StepOf(above int, input, stepInput, read, write float64) PriceStep {
	factor := stepInput / input
	p := PriceOf(stepInput, read, write)
	return PriceStep{Above: above, Read: factor * p.Read, Write: factor * p.Write}
}

// AtBoundary reports whether the next request begins a turn: what was added after the latest reply
// begins with a message, and not with an answer to a call. Only there may the past change if
// reasoning is bound to it.
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

// WithPointer returns a result with a pointer in place of its text, which names the number.
func WithPointer(r *history.ToolResponse, number int) *history.ToolResponse {
	return cacheaware.WithPointer(r, number)
}

// NumberIn returns the number that the first pointer in text names, or 0 if none does.
func NumberIn(text string) int { return cacheaware.NumberIn(text) }

// IsPointer reports whether the text of a result is a pointer in place of the text.
func IsPointer(text string) bool {
	_, heading := toolspec.Reported(text) // the heading stays in the entry
	text = text[len(heading):]
	return text == PrunedPointer || strings.HasPrefix(text, cacheaware.Marker)
}

// HoldsNote reports whether a text contains a note that stands in place of text that was omitted.
func HoldsNote(text string) bool { return cacheaware.HoldsNote(text) }

// CopyIn returns the text of a file that a Follower put into a result, or false if there is none.
func CopyIn(answer *history.ToolResponse) (text string, ok bool) { return cacheaware.CopyIn(answer) }

// The units and quotes of a recording, for code that judges the effect of pruning.
type (
	// RecordedUnit is the smallest part of a conversation that can change, before any pruning.
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

// NameWords yields the words of text that look like names of a program and not like prose.
func NameWords(text string) iter.Seq[string] { return cacheaware.NameWords(text) }

// ArgumentTexts yields the texts among the parameters of a call, until the parameters are no valid
// JSON.
func ArgumentTexts(parameters json.RawMessage) iter.Seq[string] { return cacheaware.Texts(parameters) }

// WithoutNumbers returns text without the line numbers that tools put before the lines of a file.
func WithoutNumbers(text string) string { return cacheaware.WithoutNumbers(text) }
