package provider_test

import (
	"testing"
	"time"

	"agent/internal/provider"
	"agent/internal/provider/catalogue"
)

// The prices of an old list are outdated, but only for a program whose list grows old.
func TestPricesOfAnOldList(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		ages bool
		days int
		want bool
	}{{true, 59, false}, {true, 61, true}, {false, 61, false}} {
		b := newBench(t, func(c *provider.Config) {
			c.ModelsAge = tc.ages
			c.Now = func() time.Time { return catalogue.Day().Add(time.Duration(tc.days) * 24 * time.Hour) }
		})
		b.set("provider", "openai")
		prices := b.Prices("gpt-5.5")
		if prices == nil || prices.Outdated != tc.want {
			t.Errorf("%+v: %+v", tc, prices)
		}
	}
}
