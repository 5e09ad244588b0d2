package settings

// CostOfHour returns the additional cost of tokens that the cache keeps for an hour: such a write costs twice
// the input at Anthropic, and CacheWrite is the price of the usual five minutes.
func (p Prices) CostOfHour(prompt, tokens int) float64 {
	const million = 1e6
	if p.Free || tokens == 0 {
		return 0
	}
	p = p.At(prompt)
	return float64(tokens) * max(0, 2*p.Input-p.CacheWrite) / million
}
