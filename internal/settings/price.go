package settings

// PriceInput is the price of a million input tokens, in the currency of the user's
// choice, as all prices are.
var PriceInput = Optional(Number(AtLeast(0, "of at least 0")), Spec{
	Key: "price.input", Unset: "no cost shown",
	Help:     "price of a million input tokens, for /stats",
	Category: CategoryPrice,
})

// PriceOutput is the price of a million output tokens.
var PriceOutput = Optional(Number(AtLeast(0, "of at least 0")), Spec{
	Key: "price.output", Unset: "no cost shown",
	Help:     "price of a million output tokens, for /stats",
	Category: CategoryPrice,
})

// PriceCached is the price of a million input tokens read from the provider's
// cache.
var PriceCached = Optional(Number(AtLeast(0, "of at least 0")), Spec{
	Key: "price.cached", Unset: "the input price",
	Help:     "price of a million input tokens read from the provider's cache",
	Category: CategoryPrice,
})

// Prices are what a million tokens cost.
type Prices struct{ Input, Output, Cached float64 }

// PricesOf returns the prices; false when the input or the output price is unset,
// so that there is no cost to show. Cached tokens cost as much as others unless set.
func PricesOf(s *Settings) (Prices, bool) {
	input, ok1 := PriceInput.Get(s)
	output, ok2 := PriceOutput.Get(s)
	cached, ok := PriceCached.Get(s)
	if !ok {
		cached = input
	}
	return Prices{input, output, cached}, ok1 && ok2
}
