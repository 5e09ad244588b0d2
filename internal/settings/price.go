package settings

// The prices of a million tokens, in USD.
var (
	PriceInput      = dollars("price.input", "the catalogue's", "price of a million input tokens in USD")
	PriceOutput     = dollars("price.output", "the catalogue's", "price of a million output tokens in USD")
	PriceCacheRead  = dollars("price.cache-read", "the catalogue's, else the input price", "price of a million input tokens read from the provider's cache", "price.cached")
	PriceCacheWrite = dollars("price.cache-write", "the catalogue's, else the input price", "price of a million input tokens written to the provider's cache")
)

// MaxCost is the cost of a run, in USD, after which no further request is made.
var MaxCost = dollars("max-cost", "no limit", "no further request once this run of the program has cost as much USD, where prices are known")

func dollars(key, unset, help string, aliases ...string) Setting[float64] {
	return Optional(key, Number(AtLeast(0, "of at least 0")), unset, help, aliases...)
}

// Prices are the prices of a million tokens, in USD.
type Prices struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
	// Free is set if tokens cost nothing, as with a subscription. The prices are then only weights
	// that compare kinds of tokens.
	Free bool `json:"-"`
}

// Cost returns the cost of tokens, in USD. cached counts the prompt tokens that were read from the
// provider's cache, and written the prompt tokens that were written to it.
func (p Prices) Cost(prompt, cached, written, completion int) float64 {
	const million = 1e6
	if p.Free {
		return 0
	}
	fresh := max(0, prompt-cached-written)
	return (float64(fresh)*p.Input + float64(cached)*p.CacheRead + float64(written)*p.CacheWrite + float64(completion)*p.Output) / million
}

// PricesOf returns the prices that are set, else the known ones; known may be nil. It reports false
// if the price of input or output is not known, so that no cost can be computed. Tokens of the
// cache cost as much as other input unless their price is set or known.
func PricesOf(s *Settings, known *Prices) (Prices, bool) {
	p, ok := InputPricesOf(s, known)
	output, set := PriceOutput.Get(s)
	if set {
		p.Output = output
	}
	return p, ok && (set || known != nil)
}

// InputPricesOf returns the prices that are set or known, like PricesOf. It reports false only if
// the price of input is not known.
func InputPricesOf(s *Settings, known *Prices) (Prices, bool) {
	input, set := PriceInput.Get(s)
	var p Prices
	if known != nil {
		p = *known
	}
	if set {
		p = Prices{Input: input, Output: p.Output, CacheRead: input, CacheWrite: input}
	}
	if read, ok := PriceCacheRead.Get(s); ok {
		p.CacheRead = read
	}
	if write, ok := PriceCacheWrite.Get(s); ok {
		p.CacheWrite = write
	}
	return p, set || known != nil
}
