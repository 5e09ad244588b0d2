package vendor

import "time"

// Cache describes the prompt cache of an endpoint. The zero value describes a cache that finds any
// common beginning of two requests, and that keeps it for an unknown time.
type Cache struct {
	// Marks means that the cache finds only a beginning that ended at a mark.
	Marks bool
	// Ends means that the endpoint itself marks the end of each request.
	Ends bool
	// Reach is the number of blocks before a mark that the endpoint searches for an earlier mark.
	Reach int
	// Step means that the cache finds only multiples of this number of tokens.
	Step int
	// Life is the time that an entry is kept after its latest use, 0 if the vendor does not say.
	Life time.Duration
	// None means that there is no cache.
	None bool
}

// The rules of Anthropic: the number of blocks before a mark that are searched for an entry, and
// the life of an entry.
const (
	anthropicReach = 20
	anthropicLife  = 5 * time.Minute
)

// MarkedCache is a cache with marks as Anthropic defines them.
var MarkedCache = Cache{Marks: true, Reach: anthropicReach, Life: anthropicLife}

// CacheAt returns the known facts about the cache of an endpoint for a model.
func CacheAt(host, model string) Cache {
	w, v := At(host, model), at(host)
	switch {
	case w.CacheMarks:
		return MarkedCache
	case w.Breakpoint:
		return Cache{Marks: true, Ends: true, Reach: 80, Life: 30 * time.Minute}
	case v.Name == "anthropic", FamilyOf(model).Name == "claude" && !v.translates:
		return Cache{None: true}
	case v.Name == "openai":
		return Cache{Step: 128}
	case v.Name == "deepseek":
		return Cache{Step: 64}
	}
	return Cache{}
}
