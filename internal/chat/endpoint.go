package chat

import (
	"cmp"
	"net/url"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/settings"
)

// Endpoint describes a model server to the turn loop.
type Endpoint interface {
	// Provider returns the provider for the current settings. The loop calls it before every request,
	// so that a changed endpoint applies to the next request.
	Provider() (llm.Provider, error)
	// ContextLimit returns the context window of a model in tokens, and whether it is known. The loop
	// calls it when the setting context-limit is unset.
	ContextLimit(model string) (tokens int, known bool)
	// Prices returns the prices of a model, or nil if they are unknown.
	Prices(model string) *settings.Prices
	// Cache describes the endpoint's cache for a model.
	Cache(model string) vendor.Cache
	// SaveCacheTTL saves the observed cache lifetime for later sessions.
	SaveCacheTTL(model string, life time.Duration)
	// IsLocal reports whether the endpoint is on this machine.
	IsLocal() bool
	// MayTruncate reports whether the endpoint may truncate long prompts without an error.
	MayTruncate() bool
}

// OtherModel connects to the model of another profile, which writes summaries (D-36).
type OtherModel struct {
	Endpoint Endpoint
	// Settings are the settings in use with the settings of the profile applied.
	Settings *settings.Settings
	// Close releases the connection.
	Close func()
}

// hostOf returns the host of the model server in use.
func hostOf(s *settings.Settings) string {
	if u, err := url.Parse(settings.BaseURL.Value(s)); err == nil {
		return u.Host
	}
	return ""
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
	case (asked == llm.Cache5m || asked == llm.Cache1h) && !known.Ends && known.StepTokens == 0:
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
