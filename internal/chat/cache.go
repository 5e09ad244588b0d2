package chat

import (
	"time"

	"agent/internal/compression/cacheaware"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/settings"
)

// cache is what is known of the cache of a model's provider.
func (c *Config) cache(model string) cacheaware.Cache {
	return cacheOf(c.Settings, c.Endpoint.Cache(model))
}

// keepLife keeps how long the cache of a model's provider was found to live. What is set, or
// follows from how the provider is asked, is not the provider's own life, and replaces it
// in every session alike.
func (c *Config) keepLife(model string, life time.Duration) {
	if known := c.Endpoint.Cache(model); cacheOf(c.Settings, known).Life == known.Life {
		c.Endpoint.KeepCacheLife(model, life)
	}
}

// hourLife is how long an hour's cache is kept.
const hourLife = time.Hour

// CacheOf is the cache of a provider nobody knows but for how long it lives, 0 for not
// even that; what is set counts before it.
func CacheOf(s *settings.Settings, life time.Duration) cacheaware.Cache {
	return cacheOf(s, vendor.Cache{Life: life})
}

// cacheOf is a provider's cache: what is set of it, else what is known and follows from
// how it is asked.
func cacheOf(s *settings.Settings, known vendor.Cache) cacheaware.Cache {
	asked := llm.CachePolicy(settings.PromptCache.Of(s))
	switch {
	case asked == llm.CacheOff && known.Marks && !known.Ends:
		known = vendor.Cache{None: true}
	case (asked == llm.Cache5m || asked == llm.Cache1h) && !known.Ends && known.Step == 0:
		known = vendor.MarkedCache
		if asked == llm.Cache1h {
			known.Life = hourLife
		}
	}
	cache := cacheaware.Cache{Kind: cacheaware.CachePrefix, Step: known.Step, Reach: known.Reach, Ends: known.Ends, Life: known.Life}
	switch {
	case known.None:
		cache.Kind = cacheaware.CacheNone
	case known.Marks:
		cache.Kind = cacheaware.CacheMarks
	}
	if kind := settings.CacheKind.Of(s); kind != "auto" && cacheaware.CacheKind(kind) != cache.Kind {
		cache = cacheaware.Cache{Kind: cacheaware.CacheKind(kind), Reach: vendor.MarkedCache.Reach, Life: cache.Life}
	}
	if life := settings.CacheLife.Of(s); life > 0 {
		cache.Life = life
	}
	return cache
}
