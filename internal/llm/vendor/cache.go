package vendor

import "time"

// Cache is what an endpoint keeps of requests, and how it finds that. The zero value finds
// any common beginning, for as long as nobody says.
type Cache struct {
	// Marks: only what ended at a mark is found, from at most Reach blocks before another.
	// Ends: the endpoint marks the end of each request by itself.
	Marks, Ends bool
	Reach       int
	// Step is the number of tokens in whole multiples of which a beginning counts.
	Step int
	// Life is how long it is kept after the latest use, 0 where the vendor does not say.
	Life time.Duration
	// None: nothing is kept.
	None bool
}

// Anthropic's rules: an entry at each mark, which is looked for so many blocks back.
const (
	anthropicReach = 20
	anthropicLife  = 5 * time.Minute
)

// MarkedCache is one that is asked by marks in the manner of Anthropic.
var MarkedCache = Cache{Marks: true, Reach: anthropicReach, Life: anthropicLife}

// CacheAt returns what is known of the cache of an endpoint for a model.
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
