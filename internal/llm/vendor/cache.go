package vendor

import "time"

// Cache describes the prompt cache of an endpoint. The zero value finds any common beginning
// of two requests, and how long it is kept is not known.
type Cache struct {
	// Marks means that only a beginning that ended at a mark is found.
	Marks bool
	// Ends means that the endpoint itself marks the end of each request.
	Ends bool
	// Reach is how many blocks before a mark the endpoint looks for an earlier one.
	Reach int
	// Step means that a beginning is found in whole multiples of this number of tokens.
	Step int
	// Life is how long an entry is kept after its latest use, 0 if the vendor does not say.
	Life time.Duration
	// None means that nothing is kept.
	None bool
}

// The rules of Anthropic: how many blocks before a mark an entry is looked for, and how long
// it is kept.
const (
	anthropicReach = 20
	anthropicLife  = 5 * time.Minute
)

// MarkedCache is a cache with marks as Anthropic defines them.
var MarkedCache = Cache{Marks: true, Reach: anthropicReach, Life: anthropicLife}

// CacheAt returns the cache of an endpoint for a model, as far as it is known.
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
