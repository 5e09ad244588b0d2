package chat

import (
	"agent/internal/compression/cacheaware"
	"agent/internal/settings"
)

// price is what a token of input costs at a model, relative to one that is not
// cached: as set, else as publicly known. A server on this machine costs work
// instead, and for one nobody knows the ratio is assumed that is safe.
func (c *Config) price(model string) cacheaware.Price {
	prices, ok := settings.InputPricesOf(c.Settings, c.knownPrices(model))
	switch {
	case ok && prices.Input > 0:
		return cacheaware.Price{Read: prices.CacheRead / prices.Input, Write: prices.CacheWrite / prices.Input}
	case c.Local != nil && c.Local():
		return cacheaware.LocalPrice
	default:
		return cacheaware.SafePrice
	}
}

// knownPrices is what is publicly known of a model's prices, nil when nothing is.
func (c *Config) knownPrices(model string) *settings.Prices {
	if c.Prices == nil {
		return nil
	}
	return c.Prices(model)
}
