package settings

// PriceInput is the price of a million input tokens, in USD as all prices are.
var PriceInput = Optional(Number(AtLeast(0, "of at least 0")), Spec{
	Key: "price.input", Unset: "the catalogue's",
	Help:     "price of a million input tokens in USD",
	Category: CategoryPrice,
})

// PriceOutput is the price of a million output tokens.
var PriceOutput = Optional(Number(AtLeast(0, "of at least 0")), Spec{
	Key: "price.output", Unset: "the catalogue's",
	Help:     "price of a million output tokens in USD",
	Category: CategoryPrice,
})

// PriceCacheRead is the price of a million input tokens read from the provider's
// cache.
var PriceCacheRead = Optional(Number(AtLeast(0, "of at least 0")), Spec{
	Key: "price.cache-read", Aliases: []string{"price.cached"}, Unset: "the catalogue's, else the input price",
	Help:     "price of a million input tokens read from the provider's cache",
	Category: CategoryPrice,
})

// PriceCacheWrite is the price of a million input tokens written to the provider's
// cache.
var PriceCacheWrite = Optional(Number(AtLeast(0, "of at least 0")), Spec{
	Key: "price.cache-write", Unset: "the catalogue's, else the input price",
	Help:     "price of a million input tokens written to the provider's cache",
	Category: CategoryPrice,
})

// MaxCost ends what the program does once this run of it has cost as much, in USD.
var MaxCost = Optional(Number(AtLeast(0, "of at least 0")), Spec{
	Key: "max-cost", Unset: "no limit",
	Help:     "no further request once this run of the program has cost as much USD, where prices are known",
	Category: CategoryPrice,
})

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
