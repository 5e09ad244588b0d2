package chat

import (
	"time"

	"agent/internal/compression/cacheaware"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/settings"
)

// cache describes the cache of a model's provider.
func (c *Config) cache(model string) cacheaware.Cache {
	return cacheOf(c.Settings, c.Endpoint.Cache(model))
}

// keepLife saves the observed lifetime of the cache of a model's provider for later sessions. It
// saves nothing if the settings determine the lifetime, since the observed one is then not the
// provider's own.
func (c *Config) keepLife(model string, life time.Duration) {
	if known := c.Endpoint.Cache(model); cacheOf(c.Settings, known).Life == known.Life {
		c.Endpoint.KeepCacheLife(model, life)
	}
}

// hourLife is how long the provider keeps an entry of the one-hour cache.
const hourLife = time.Hour

// CacheOf describes the cache of an unknown provider. life is the lifetime of an entry, or 0 if
// that is unknown too. The settings take precedence.
func CacheOf(s *settings.Settings, life time.Duration) cacheaware.Cache {
	return cacheOf(s, vendor.Cache{Life: life})
}

// cacheOf describes a provider's cache. The settings take precedence; the rest follows from the
// known facts and from the cache policy of the requests.
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
