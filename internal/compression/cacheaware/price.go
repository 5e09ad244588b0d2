package cacheaware

import (
	"time"

	"agent/internal/llm/vendor"
)

// Price holds the prices of an input token read from a cache and of an input token written to it,
// relative to the price of input that is not cached.
type Price struct {
	Read, Write float64
	// Step holds the prices of longer requests, or the zero PriceStep.
	Step PriceStep
}

// PriceStep holds the prices of a request with more than Above input tokens, relative to the price of
// input below the step. It applies to all tokens of the request.
type PriceStep struct {
	Above int     `json:"above"`
	Read  float64 `json:"read"`
	Write float64 `json:"write"`
}

// at returns the price of the tokens of a request.
func (p Price) at(tokens int) Price {
	if p.Step.Above > 0 && tokens > p.Step.Above {
		return Price{Read: p.Step.Read, Write: p.Step.Write}
	}
	return p
}

// SafePrice is assumed for models of unknown price. No vendor sells a cached token for a smaller share
// of a new one, and a cut that pays at this price pays wherever a cached token costs more.
var SafePrice = Price{Read: 0.025, Write: 1.25}

// PriceOf returns the price of a model from the prices of its input tokens: plain, read from a
// cache, and written to a cache. It returns SafePrice if input has no price. No token costs less for
// being written: a smaller price stands for none of its own.
func PriceOf(input, read, write float64) Price {
	if input <= 0 {
		return SafePrice
	}
	return Price{Read: read / input, Write: max(write, input) / input}
}

// LocalPrice is the price of a server whose tokens cost nothing. It counts the work of reading
// text that the server does not hold yet.
var LocalPrice = Price{Read: 0, Write: 1}

// Moment holds the facts that are known when a request is about to be sent.
type Moment struct {
	Price Price
	// Cache describes the provider's cache. At is the time at which the request is sent.
	Cache vendor.Cache
	At    time.Time
	// Warmed is the time of the latest refresh of the cache since the request before; zero for none.
	Warmed time.Time
	// Mark is the number of entries up to the free mark of the request (see Engine.Mark).
	Mark int
	// Found is the share of the request that the provider reports to have found in its cache.
	// Reported is set if there is such a report.
	Found    float64
	Reported bool
	// Head is the size of the system prompt and the tools, in tokens.
	Head int
	// Cold is set if nothing of the context can be in the provider's cache.
	Cold bool
	// Pace scales the patience of all classes; 0 means 1.
	Pace float64
	// Kept is set if everything up to the latest reply has to stay as it was sent, because later
	// reasoning is bound to it and the turn is still running.
	Kept bool
	// Patience, if above 0, is the share of patience that pressure on the window leaves. Pressed
	// is set if the price of a cut does not count.
	Patience float64
	Pressed  bool
	// Files returns the text of a file on disk, or "" if the file cannot be read. Files is nil if
	// there is no disk.
	Files func(path string) string
	// FileTexts maps the Hash of a file to its text, for a replay: a recorded
	// fold holds a copy of the file as it was on the disk at that time.
	FileTexts map[string]string
}

// alive reports whether the cache can still hold a prefix that was last used at a time. A refresh has
// used all that it held.
func (m Moment) alive(used time.Time) bool { return m.Cache.Alive(m.At.Sub(latest(used, m.Warmed))) }

// latest returns the later of two times.
func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (m Moment) pace() float64 {
	if m.Pace > 0 {
		return m.Pace
	}
	return 1
}

// softShare returns the share of its patience from which a unit joins a cut. The share is smaller
// while nothing is cached and a cut costs nothing. It is larger for whole files, because a late
// edit quotes some part of them.
func (m Moment) softShare(c class) float64 {
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
