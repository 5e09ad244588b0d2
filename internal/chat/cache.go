package chat

import (
	"cmp"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/settings"
)

// cache describes the cache of a model's provider.
func (c *Config) cache(model string) vendor.Cache {
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
func CacheOf(s *settings.Settings, life time.Duration) vendor.Cache {
	return cacheOf(s, vendor.Cache{Life: life})
}

// cacheOf describes a provider's cache. The settings take precedence; the rest follows from the
// known facts and from the cache policy of the requests.
func cacheOf(s *settings.Settings, known vendor.Cache) vendor.Cache {
	cache, asked := known, llm.CachePolicy(settings.PromptCache.Of(s))
	switch {
	case asked == llm.CacheOff && known.Kind == vendor.CacheMarks && !known.Ends:
		cache = vendor.Cache{Kind: vendor.CacheNone}
	case (asked == llm.Cache5m || asked == llm.Cache1h) && !known.Ends && known.Step == 0:
		cache = vendor.MarkedCache
		if asked == llm.Cache1h {
			cache.Life = hourLife
		}
	}
	cache.Kind = cmp.Or(cache.Kind, vendor.CachePrefix) // a record names every kind
	if kind := settings.CacheKind.Of(s); kind != "auto" && vendor.CacheKind(kind) != cache.Kind {
		cache = vendor.Cache{Kind: vendor.CacheKind(kind), Reach: vendor.MarkedCache.Reach, Life: cache.Life}
	}
	if life := settings.CacheLife.Of(s); life > 0 {
		cache.Life = life
	}
	return cache
}
