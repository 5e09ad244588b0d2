package cacheaware

import (
	"time"

	"agent/internal/history"
	"agent/internal/llm/vendor"
)

// MetaRequest is the metadata key under which a reply stores the Request that it answers. The account
// can be rebuilt from these in the log of a conversation.
const MetaRequest = "request"

// A Request describes an answered request.
type Request struct {
	// At is the time of sending, in milliseconds since 1970.
	At int64 `json:"at"`
	// Model is the model, and HeadSum a digest of the system prompt and the tools. The next
	// request can find this one in a cache only if both are the same.
	Model   string `json:"model"`
	HeadSum string `json:"headSum"`
	// Head is the size of the system prompt and the tools, in tokens.
	Head int `json:"head"`
	// Limit is the model's context window in tokens. Older logs lack it.
	Limit int `json:"limit,omitempty"`
	// Read and Write are the prices with which the request was planned. Cold is set if nothing was
	// cached.
	Read  float64 `json:"read"`
	Write float64 `json:"write"`
	// Step holds the prices above a number of tokens.
	Step PriceStep `json:"step,omitzero"`
	Cold bool      `json:"cold"`
	// Cache is the assumed state of the provider's cache. Mark is the position of the free mark.
	Cache vendor.Cache `json:"cache,omitzero"`
	Mark  int          `json:"mark,omitzero"`
	// Warmed is the time of the latest refresh of the cache before the request, in the same form as At.
	// It is 0 if there was none.
	Warmed int64 `json:"warmed,omitzero"`
	// Prompt and Cached are the numbers of tokens that the provider reported, or 0.
	Prompt int `json:"prompt,omitempty"`
	Cached int `json:"cached,omitempty"`
	// Pins lists the files that were pinned, by the user or because the model requested them again.
	Pins []string `json:"pins,omitempty"`
}

// Facts returns the moment of the request, as the account used it.
func (r Request) Facts() RequestFacts {
	m := RequestFacts{Price: Price{r.Read, r.Write, r.Step}, Head: r.Head, Cold: r.Cold, Cache: r.Cache, Mark: r.Mark, At: r.Time()}
	if r.Warmed > 0 {
		m.Warmed = time.UnixMilli(r.Warmed)
	}
	return m
}

// Time returns the time of sending.
func (r Request) Time() time.Time { return time.UnixMilli(r.At) }

// Stamp returns a reply with r in its metadata.
func (r Request) Stamp(reply *history.Content) *history.Content {
	return reply.WithMeta(MetaRequest, r)
}
