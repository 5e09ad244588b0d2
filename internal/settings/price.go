package settings

// What a million tokens cost, in USD: of input, of output, and of input that is read from
// the provider's cache or written to it.
var (
	PriceInput      = dollars("price.input", "the catalogue's", "price of a million input tokens in USD")
	PriceOutput     = dollars("price.output", "the catalogue's", "price of a million output tokens in USD")
	PriceCacheRead  = dollars("price.cache-read", "the catalogue's, else the input price", "price of a million input tokens read from the provider's cache", "price.cached")
	PriceCacheWrite = dollars("price.cache-write", "the catalogue's, else the input price", "price of a million input tokens written to the provider's cache")
)

// MaxCost ends what the program does once this run of it has cost as much, in USD.
var MaxCost = dollars("max-cost", "no limit", "no further request once this run of the program has cost as much USD, where prices are known")

func dollars(key, unset, help string, aliases ...string) Setting[float64] {
	return Optional(key, Number(AtLeast(0, "of at least 0")), unset, help, aliases...)
}

// Prices are what a million tokens cost, in USD.
type Prices struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

// Cost is what tokens cost, in USD: of the prompt tokens some were read from the
// provider's cache and some written to it.
func (p Prices) Cost(prompt, cached, written, completion int) float64 {
	const million = 1e6
	fresh := max(0, prompt-cached-written)
	return (float64(fresh)*p.Input + float64(cached)*p.CacheRead + float64(written)*p.CacheWrite + float64(completion)*p.Output) / million
}

// PricesOf returns the prices: what is set, else those that are known otherwise; nil
// known for none. It is false when the input or the output price is neither, so that
// no cost can be determined. Cached tokens cost as much as others unless something says
// more.
func PricesOf(s *Settings, known *Prices) (Prices, bool) {
	p, ok := InputPricesOf(s, known)
	output, set := PriceOutput.Get(s)
	if set {
		p.Output = output
	}
	return p, ok && (set || known != nil)
}

// InputPricesOf are the prices without that of output, which says nothing of what input
// costs. It is false when the input price is not known.
func InputPricesOf(s *Settings, known *Prices) (Prices, bool) {
	input, set := PriceInput.Get(s)
	var p Prices
	if known != nil {
		p = *known
	}
	if set {
		p.Input, p.CacheRead, p.CacheWrite = input, input, input
	}
	if read, ok := PriceCacheRead.Get(s); ok {
		p.CacheRead = read
	}
	if write, ok := PriceCacheWrite.Get(s); ok {
		p.CacheWrite = write
	}
	return p, set || known != nil
}
