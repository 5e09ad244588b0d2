package chat

import (
	"testing"

	"agent/internal/compression"
	"agent/internal/settings"
)

// The relative price of a token comes from the settings, otherwise from known prices. A local
// endpoint without a price gets LocalPrice, and any other endpoint gets SafePrice.
func TestPrice(t *testing.T) {
	t.Parallel()
	known := &settings.Prices{Input: 5, Output: 25, CacheRead: 0.5, CacheWrite: 6.25}
	for id, c := range map[string]struct {
		prices *settings.Prices
		local  bool
		set    map[string]string
		want   compression.Price
	}{
		"known":           {prices: known, want: compression.Price{Read: 0.1, Write: 1.25}},
		"known and local": {prices: known, local: true, want: compression.Price{Read: 0.1, Write: 1.25}},
		"set":             {set: map[string]string{"price.input": "2", "price.output": "8", "price.cache-read": "0.5"}, want: compression.Price{Read: 0.25, Write: 1}},
		"local":           {local: true, want: compression.LocalPrice},
		"unknown":         {want: compression.SafePrice},
		"outdated":        {prices: &settings.Prices{Input: 5, Output: 25, CacheRead: 0.5, CacheWrite: 6.25, Outdated: true}, want: compression.SafePrice},
	} {
		b := newBench(t)
		for key, value := range c.set {
			b.set(key, value)
		}
		b.at.prices = c.prices
		b.at.local = c.local
		if got := (models{&b.config}).Price("m"); got != c.want {
			t.Errorf("%s: %+v, want %+v", id, got, c.want)
		}
	}
}
