package cacheaware

import (
	"time"

	"agent/internal/history"
)

// MetaRequest is the key of the metadata of a reply that says of the request it
// answers what the account needs, so that the record of a conversation gives an
// equal account.
const MetaRequest = "request"

// Request is what is known of a request that was answered.
type Request struct {
	// At is when it was sent, in milliseconds since 1970.
	At int64 `json:"at"`
	// Model and HeadSum report whether the next request can find this one in a cache:
	// the model, and a digest of system prompt and tools.
	Model   string `json:"model"`
	HeadSum string `json:"headSum"`
	// Head is the size of system prompt and tools, in tokens.
	Head int `json:"head"`
	// Limit is the model's window, in tokens; older logs do not say.
	Limit int `json:"limit,omitempty"`
	// Read and Write are the price it was judged by, Cold whether nothing was cached.
	Read  float64 `json:"read"`
	Write float64 `json:"write"`
	Cold  bool    `json:"cold"`
	// Cache is what was believed of the provider's cache, Mark where the free mark stood.
	Cache Cache `json:"cache,omitzero"`
	Mark  int   `json:"mark,omitzero"`
	// Prompt and Cached are what the provider reported, 0 for nothing.
	Prompt int `json:"prompt,omitempty"`
	Cached int `json:"cached,omitempty"`
	// Pins are the files that were pinned, by the user or because they were asked for
	// again.
	Pins []string `json:"pins,omitempty"`
}

// Moment is the request as it was settled.
func (r Request) Moment() Moment {
	return Moment{Price: Price{r.Read, r.Write}, Head: r.Head, Cold: r.Cold, Cache: r.Cache, Mark: r.Mark, At: r.Time()}
}

// Time is when it was sent.
func (r Request) Time() time.Time { return time.UnixMilli(r.At) }

// Stamp notes at a reply which request it answers.
func (r Request) Stamp(reply *history.Content) *history.Content {
	return reply.WithMeta(MetaRequest, r)
}
