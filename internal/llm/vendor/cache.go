package vendor

import "time"

// CacheKind is how a provider finds the cached part of a request.
type CacheKind string

// The kinds. The zero value counts as CachePrefix.
const (
	// CachePrefix finds the longest prefix that a request shares with an earlier one.
	CachePrefix CacheKind = "prefix"
	// CacheMarks finds only a prefix that ended at a mark of an earlier request.
	CacheMarks CacheKind = "marks"
	// CacheNone finds nothing.
	CacheNone CacheKind = "none"
)

// Cache describes the cache of a provider: how it finds the cached part of a request, and how long it
// keeps that part. Session logs contain it.
type Cache struct {
	Kind CacheKind `json:"kind,omitzero"`
	// StepTokens is the size of the steps in which a common prefix counts, in tokens; 0 means 1.
	StepTokens int `json:"step,omitzero"`
	// Reach is the number of blocks before a mark within which the provider finds an earlier mark. Ends
	// is set if the provider itself sets marks, only at the end of requests.
	Reach int  `json:"reach,omitzero"`
	Ends  bool `json:"ends,omitzero"`
	// Life is the time for which a prefix is kept after its latest use, or 0 if unknown.
	Life time.Duration `json:"life,omitzero"`
	// Bound is set if reasoning is bound to the content before it (BoundPrefix). A change of that
	// content then costs more than the cached part of a request.
	Bound bool `json:"bound,omitzero"`
}

// longestLife is the longest time for which any provider keeps a prefix.
const longestLife = 24 * time.Hour

// Alive reports whether the cache can still contain a prefix that was last used that long ago. An
// unknown lifetime counts as long. Treating a cold cache as warm only misses an opportunity, but
// treating a warm cache as cold costs money.
func (c Cache) Alive(unused time.Duration) bool {
	if c.Life == 0 {
		return unused <= longestLife
	}
	return unused <= c.Life
}

// Whole rounds tokens down to whole steps.
func (c Cache) Whole(tokens int) int { return tokens - tokens%max(1, c.StepTokens) }

// The rules of Anthropic: the number of blocks before a mark that are searched for an entry, and the
// lifetime of an entry.
const (
	anthropicReach = 20
	anthropicLife  = 5 * time.Minute
)

// MarkedCache is a cache with marks as Anthropic defines them.
var MarkedCache = Cache{Kind: CacheMarks, Reach: anthropicReach, Life: anthropicLife}

// CacheAt returns the known facts about the cache of an endpoint for a model.
func CacheAt(host, model string) Cache {
	c := cacheAt(host, model)
	c.Bound = BoundReasoningOf(model).Prefix()
	return c
}

func cacheAt(host, model string) Cache {
	w, v := At(host, model), at(host)
	switch {
	case w.CacheMarks, w.Messages:
		return MarkedCache
	case w.Breakpoint:
		return Cache{Kind: CacheMarks, Ends: true, Reach: 80, Life: 30 * time.Minute}
	case FamilyOf(model).Name == "claude" && !v.translates:
		return Cache{Kind: CacheNone}
	case v.Name == "openai":
		return Cache{StepTokens: 128}
	case v.Name == "deepseek":
		return Cache{StepTokens: 64}
	}
	return Cache{}
}
