package cacheaware

import "time"

// Price is what a token of input costs, relative to one that is not cached.
type Price struct{ Read, Write float64 }

// SafePrice is assumed for models of unknown price: a decision that pays at this
// price pays at any other with a smaller ratio of write to read.
var SafePrice = Price{Read: 0.1, Write: 1.25}

// PriceOf is that of a model by what tokens of input, read from a cache and written to it
// cost; SafePrice for one whose input has no price.
func PriceOf(input, read, write float64) Price {
	if input <= 0 {
		return SafePrice
	}
	return Price{Read: read / input, Write: write / input}
}

// LocalPrice is that of a server whose tokens cost nothing: what is counted is the
// work of reading what it does not hold yet.
var LocalPrice = Price{Read: 0, Write: 1}

// Moment is what is known when a request is about to be sent.
type Moment struct {
	Price Price
	// Cache says what the provider holds and finds, At when the request is sent.
	Cache Cache
	At    time.Time
	// Mark is the number of entries up to the free mark of the request, see Engine.Mark.
	Mark int
	// Found is the part of the request that the provider reports to have found, as a share
	// of it; Reported says that it did.
	Found    float64
	Reported bool
	// Head is the size of what is before the conversation: system prompt and
	// tools.
	Head int
	// Cold says that nothing of the context can be in the provider's cache.
	Cold bool
	// Pace scales the patience of all classes; 0 is 1.
	Pace float64
	// Patience, when above 0, is the share of it that pressure on the window
	// leaves; Pressed says that the price is not asked.
	Patience float64
	Pressed  bool
	// Files returns the text of a file on disk, empty for one that cannot be read. It is
	// nil where there is no disk.
	Files func(path string) string
	// Copies are texts of files by their Hash, for a replay: what the record of a fold
	// holds was on the disk then.
	Copies map[string]string
}

func (m Moment) pace() float64 {
	if m.Pace > 0 {
		return m.Pace
	}
	return 1
}

// softShare is the share of its patience from which a unit joins a cut: less
// while nothing is cached and a cut costs nothing, more for whole files, of which an
// edit that comes late quotes something.
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
