package cacheaware

import (
	"time"

	"agent/internal/llm/vendor"
)

// Price contains the prices of input tokens read from a cache and written to it, relative to the price
// of uncached input.
type Price struct {
	Read, Write float64
	// Step holds the prices of requests with more than Step.Above input tokens. The zero PriceStep means
	// that the prices do not depend on the size of the request.
	Step PriceStep
}

// PriceStep contains the prices of a request with more than Above input tokens, relative to the price
// of input below the step. They apply to all tokens of the request.
type PriceStep struct {
	Above int     `json:"above"`
	Read  float64 `json:"read"`
	Write float64 `json:"write"`
}

func (p Price) at(tokens int) Price {
	if p.Step.Above > 0 && tokens > p.Step.Above {
		return Price{Read: p.Step.Read, Write: p.Step.Write}
	}
	return p
}

// SafePrice is assumed for models of unknown price. No vendor sells cached tokens at a smaller share of
// the full price. A cut that pays at this price also pays if cached tokens cost more.
var SafePrice = Price{Read: 0.025, Write: 1.25}

// NewPrice returns the price of a model from its prices of input tokens: uncached, read from a cache,
// and written to a cache. It returns SafePrice if input is 0. A write price below input means that
// writing has no separate price, so input is used.
func NewPrice(input, read, write float64) Price {
	if input <= 0 {
		return SafePrice
	}
	return Price{Read: read / input, Write: max(write, input) / input}
}

// LocalPrice is the price for a server whose tokens cost nothing. It counts the work of processing text
// that is not in the server's cache.
var LocalPrice = Price{Read: 0, Write: 1}

// RequestFacts holds the facts that are known when a request is about to be sent.
type RequestFacts struct {
	Price Price
	// Cache describes the provider's cache. At is the time at which the request is sent.
	Cache vendor.Cache
	At    time.Time
	// Warmed is the time of the latest refresh of the cache since the previous request. It is zero if
	// there was none.
	Warmed time.Time
	// Mark is the number of entries up to the free mark of the request (see Engine.Mark).
	Mark int
	// Found is the share of the request that the provider reports as read from its cache. Reported is
	// set if there is such a report.
	Found    float64
	Reported bool
	// Head is the size of the system prompt and the tools, in tokens.
	Head int
	// Cold is set if nothing of the context can be in the provider's cache.
	Cold bool
	// Pace scales the retention of all classes; 0 means 1.
	Pace float64
	// Kept is set if nothing up to the latest reply may change, because later reasoning is bound to it
	// and the turn is still running.
	Kept bool
	// Patience, if above 0, is the factor by which the retention is reduced near the limit of the
	// window. Pressed is set if the price of a cut does not count.
	Patience float64
	Pressed  bool
	// Files returns the text of a file on disk, or "" if the file cannot be read. It is nil if no files
	// are available.
	Files func(path string) string
	// FileTexts maps the Hash of a file to its text, for a replay. A recorded fold contains the file as
	// it was on disk at that time.
	FileTexts map[string]string
}

// alive reports whether the cache can still contain a prefix that was last used at a time. A refresh
// counts as a use of everything in the cache.
func (m RequestFacts) alive(used time.Time) bool {
	return m.Cache.Alive(m.At.Sub(latest(used, m.Warmed)))
}

// latest returns the later of two times.
func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (m RequestFacts) pace() float64 {
	if m.Pace > 0 {
		return m.Pace
	}
	return 1
}

// softShare returns the share of its retention from which a unit joins a cut. The share is smaller
// while nothing is cached, because a cut then costs nothing. It is larger for whole files, because a
// late edit quotes some part of them.
func (m RequestFacts) softShare(c class) float64 {
	switch {
	case c == wholeFile && m.Cold:
		return 0.25
	case c == wholeFile:
		return 0.5
	case m.Cold:
		return 0.15
	default:
		return 0.45
	}
}
