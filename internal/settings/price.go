package settings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The prices of one million tokens, in USD.
var (
	PriceInput      = dollars("price.input", "from the model catalog", "price of a million input tokens in USD")
	PriceOutput     = dollars("price.output", "from the model catalog", "price of a million output tokens in USD")
	PriceCacheRead  = dollars("price.cache-read", "from the model catalog, otherwise the input price", "price of a million input tokens read from the provider's cache", "price.cached")
	PriceCacheWrite = dollars("price.cache-write", "from the model catalog, otherwise the input price", "price of a million input tokens written to the provider's cache")
)

// PriceTiers holds the prices of long requests. They take precedence over those of the model
// catalog.
var PriceTiers = Optional("price.tiers", tiersKind, "from the model catalog", "prices of long requests, in USD for a million tokens")

const tiersForm = "TOKENS:INPUT/OUTPUT/CACHE-READ/CACHE-WRITE, such as 272000:4/15/0.2/5; separate several with semicolons"

var tiersKind = oneLine(TypeString, tiersForm, func(text string) (string, error) {
	steps, err := ParseSteps(text)
	if err != nil {
		return "", fmt.Errorf("is invalid: %w. The form is %s", err, tiersForm)
	}
	return FormatSteps(steps), nil
})

// ModelsURL is the address of a newer model list, for agent models --refresh.
var ModelsURL = Optional("models-url", URL(), "none", "address of the model list for agent models --refresh")

// MaxCost is the cost of a run in USD at which no further requests are sent.
var MaxCost = dollars("max-cost", "no limit", "maximum cost of this run in USD, if prices are known")

func dollars(key, unset, help string, aliases ...string) Setting[float64] {
	return Optional(key, Number(AtLeast(0, "of at least 0")), unset, help, aliases...)
}

// Prices holds the prices of one million tokens, in USD.
type Prices struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
	// Steps lists the prices of longer requests, in ascending order.
	Steps []PriceStep `json:"steps,omitempty"`
	// Free is set if tokens cost nothing, as with a subscription. The prices are then only weights
	// for comparing kinds of tokens.
	Free bool `json:"-"`
	// Outdated is set if the prices are good enough to compute costs but not to base decisions on.
	// Their list is too old, or lacks the price of a cache read.
	Outdated bool `json:"-"`
}

// A PriceStep holds the prices of a request with more than Above input tokens, including cached ones.
// These prices apply to all tokens of the request, not only to those above the step.
type PriceStep struct {
	Above      int     `json:"above"`
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

// leastStep is the smallest plausible number of tokens for a step.
const leastStep = 1000

// ParseSteps parses steps in the form N:in/out/read/write[;…]. It returns an error for implausible
// steps: negative prices, a cache read price above the input price, steps below 1,000 tokens or out
// of order.
func ParseSteps(text string) ([]PriceStep, error) {
	var steps []PriceStep
	for part := range strings.SplitSeq(text, ";") {
		above, prices, ok := strings.Cut(strings.TrimSpace(part), ":")
		n, err := strconv.Atoi(above)
		cells := strings.Split(prices, "/")
		if !ok || err != nil || len(cells) != 4 {
			return nil, fmt.Errorf("%q is not a price step", part)
		}
		var p [4]float64
		for i, cell := range cells {
			if p[i], err = strconv.ParseFloat(cell, 64); err != nil || !(p[i] >= 0) || p[i] > maxPrice {
				return nil, fmt.Errorf("%q is not a price in USD", cell)
			}
		}
		switch {
		case n < leastStep:
			return nil, fmt.Errorf("the price step at %d tokens is too low; use at least %d", n, leastStep)
		case p[2] > p[0]:
			return nil, fmt.Errorf("the cache-read price of the step at %d tokens exceeds its input price", n)
		case len(steps) > 0 && n <= steps[len(steps)-1].Above:
			return nil, fmt.Errorf("the price step at %d tokens must come before that at %d; sort the steps by tokens", n, steps[len(steps)-1].Above)
		}
		steps = append(steps, PriceStep{n, p[0], p[1], p[2], p[3]})
	}
	return steps, nil
}

// maxPrice is the greatest plausible price of one million tokens, in USD.
const maxPrice = 1e6

// FormatSteps returns steps in the form that ParseSteps accepts.
func FormatSteps(steps []PriceStep) string {
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	parts := make([]string, len(steps))
	for i, s := range steps {
		parts[i] = strconv.Itoa(s.Above) + ":" + strings.Join([]string{number(s.Input), number(s.Output), number(s.CacheRead), number(s.CacheWrite)}, "/")
	}
	return strings.Join(parts, ";")
}

// ForPrompt returns the prices of a request with the given number of input tokens.
func (p Prices) ForPrompt(prompt int) Prices {
	for _, s := range slices.Backward(p.Steps) {
		if prompt > s.Above {
			p.Input, p.Output, p.CacheRead, p.CacheWrite = s.Input, s.Output, s.CacheRead, s.CacheWrite
			break
		}
	}
	p.Steps = nil
	return p
}

// Cost returns the cost of one request, in USD. cached is the number of prompt tokens that were
// read from the provider's cache. written is the number of prompt tokens that were written to it.
func (p Prices) Cost(prompt, cached, written, completion int) float64 {
	const million = 1e6
	if p.Free {
		return 0
	}
	p = p.ForPrompt(prompt)
	fresh := max(0, prompt-cached-written)
	return (float64(fresh)*p.Input + float64(cached)*p.CacheRead + float64(written)*p.CacheWrite + float64(completion)*p.Output) / million
}

// PricesOf returns the configured prices, otherwise the known ones; known may be nil. It returns
// false if the price of input or output is unknown, because no cost can be computed then. Cache
// tokens have the price of other input unless their price is configured or known.
func PricesOf(s *Settings, known *Prices) (Prices, bool) {
	p, ok := InputPricesOf(s, known)
	output, set := PriceOutput.Get(s)
	if set {
		p.Output = output
	}
	return p, ok && (set || known != nil)
}

// InputPricesOf returns the configured or known prices, like PricesOf. It returns false only if the
// price of input is unknown.
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
		p.CacheRead, p.Outdated = read, false
	}
	if write, ok := PriceCacheWrite.Get(s); ok {
		p.CacheWrite = write
	}
	if tiers, ok := PriceTiers.Get(s); ok {
		p.Steps, _ = ParseSteps(tiers) // validated when it was set
	}
	return p, set || known != nil
}
