package window

import (
	"time"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm/vendor"
)

// Models knows the models that requests go to, and their servers.
type Models interface {
	// Counter returns the token counter for a model.
	Counter(model string) history.Counter
	// Limit returns the known size of a model's window, in tokens. It is called if the setting
	// context-limit is unset, and may wait for the endpoint.
	Limit(model string) (tokens int, known bool)
	// Price returns the price of cached input tokens of a model, relative to input that is not
	// cached.
	Price(model string) compression.Price
	// Cache returns the known facts about the cache of a model's provider.
	Cache(model string) vendor.Cache
	// KeepLife keeps the lifetime of a model's cache when a reply has taught a new one.
	KeepLife(model string, life time.Duration)
	// Cuts reports whether the server may cut prompts silently.
	Cuts() bool
	// HeadFor names the model and the endpoint for which the head is made. The head is made again
	// when the name changes.
	HeadFor() string
}

// unkept knows the facts of other Models, and keeps nothing.
type unkept struct{ Models }

func (unkept) KeepLife(string, time.Duration) {}
