package chat

import (
	"cmp"
	"time"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/settings"
)

// models describes the models of the endpoint for the window.
type models struct{ config *Config }

// Counter returns the token counter for a model.
func (m models) Counter(model string) history.Counter { return m.config.Counter(model) }

// Limit returns the known size of a model's window.
func (m models) Limit(model string) (tokens int, known bool) {
	return m.config.Endpoint.ContextLimit(model)
}

// Price returns the price of cached tokens of a model.
func (m models) Price(model string) compression.Price { return m.config.price(model) }

// Cache describes the cache of a model's provider.
func (m models) Cache(model string) vendor.Cache {
	return cacheOf(m.config.Settings, m.config.Endpoint.Cache(model))
}

// SaveCacheTTL saves the observed cache lifetime of a model's provider for later sessions. It saves nothing
// if the settings determine the lifetime, because the observed lifetime is then not the provider's
// default.
func (m models) SaveCacheTTL(model string, life time.Duration) {
	if known := m.config.Endpoint.Cache(model); cacheOf(m.config.Settings, known).Life == known.Life {
		m.config.Endpoint.SaveCacheTTL(model, life)
	}
}

// MayTruncate reports whether the endpoint may truncate prompts without an error.
func (m models) MayTruncate() bool { return m.config.Endpoint.MayTruncate() }

// HeadKey returns the model and the endpoint for which the system prompt and the tools are built.
func (m models) HeadKey() string {
	if m.config.HeadFor == nil {
		return ""
	}
	return m.config.HeadFor()
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
	cache, asked := known, llm.CachePolicy(settings.PromptCache.Value(s))
	switch {
	case asked == llm.CacheOff && known.Kind == vendor.CacheMarks && !known.Ends:
		cache = vendor.Cache{Kind: vendor.CacheNone, Bound: known.Bound}
	case (asked == llm.Cache5m || asked == llm.Cache1h) && !known.Ends && known.Step == 0:
		cache = vendor.MarkedCache
		cache.Bound = known.Bound
		if asked == llm.Cache1h {
			cache.Life = hourLife
		}
	}
	cache.Kind = cmp.Or(cache.Kind, vendor.CachePrefix) // a record names every kind
	if kind := settings.CacheKind.Value(s); kind != "auto" && vendor.CacheKind(kind) != cache.Kind {
		cache = vendor.Cache{Kind: vendor.CacheKind(kind), Reach: vendor.MarkedCache.Reach, Life: cache.Life, Bound: known.Bound}
	}
	if life := settings.CacheLife.Value(s); life > 0 {
		cache.Life = life
	}
	if bound := settings.ReasoningBound.Value(s); bound != "auto" {
		cache.Bound = bound == "true"
	}
	return cache
}
