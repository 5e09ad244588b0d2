package settings

// CostOfHour returns the additional cost in USD of tokens that the cache keeps for an hour. At
// Anthropic such a write costs twice the input price, while CacheWrite is the price for the usual
// five minutes.
func (p Prices) CostOfHour(prompt, tokens int) float64 {
	const million = 1e6
	if p.Free || tokens == 0 {
		return 0
	}
	p = p.ForPrompt(prompt)
	return float64(tokens) * max(0, 2*p.Input-p.CacheWrite) / million
}
