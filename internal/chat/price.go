package chat

import (
	"agent/internal/compression/cacheaware"
	"agent/internal/settings"
)

// price is what a token of input costs at a model, relative to one that is not
// cached: as set, else as publicly known. A server on this machine costs work
// instead, and for one nobody knows the ratio is assumed that is safe.
func (c *Config) price(model string) cacheaware.Price {
	prices, ok := c.pricesOf(model)
	switch {
	case ok && prices.Input > 0:
		return cacheaware.Price{Read: prices.CacheRead / prices.Input, Write: prices.CacheWrite / prices.Input}
	case c.Local != nil && c.Local():
		return cacheaware.LocalPrice
	default:
		return cacheaware.SafePrice
	}
}

func (c *Config) pricesOf(model string) (settings.Prices, bool) {
	var known *settings.Prices
	if c.Prices != nil {
		known = c.Prices(model)
	}
	return settings.PricesOf(c.Settings, known)
}
