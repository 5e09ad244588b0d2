package window

import (
	"time"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm/vendor"
)

// Models describes the models that requests use, and their servers.
type Models interface {
	// Counter returns the token counter for a model.
	Counter(model string) history.Counter
	// Limit returns the known context window of a model, in tokens. It is called if the setting
	// context-limit is unset, and may wait for the endpoint.
	Limit(model string) (tokens int, known bool)
	// Price returns the price of cached input tokens of a model, relative to input that is not
	// cached.
	Price(model string) compression.Price
	// Cache returns the known facts about the cache of a model's provider.
	Cache(model string) vendor.Cache
	// SaveCacheTTL saves the lifetime of a model's cache after a reply has shown a new lifetime.
	SaveCacheTTL(model string, life time.Duration)
	// MayTruncate reports whether the server may truncate prompts without an error.
	MayTruncate() bool
	// HeadKey returns the model and the endpoint for which the head is built. The head is built again
	// when the result changes.
	HeadKey() string
}

// unkept is Models with a SaveCacheTTL that saves nothing.
type unkept struct{ Models }

func (unkept) SaveCacheTTL(string, time.Duration) {}
