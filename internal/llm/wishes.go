package llm

// Replay says whether reasoning is sent back to the model it comes from.
type Replay string

// The values of Replay.
const (
	// ReplayAuto, also "", sends it where the vendor is known to want it, or once
	// the endpoint has asked for it.
	ReplayAuto   Replay = "auto"
	ReplayAlways Replay = "always"
	ReplayNever  Replay = "never"
)

// CachePolicy says whether the provider is asked to keep the prompt in its cache.
type CachePolicy string

// The values of CachePolicy.
const (
	// CacheAuto, also "", asks where the vendor knows the question.
	CacheAuto CachePolicy = "auto"
	CacheOff  CachePolicy = "off"
	// Cache5m and Cache1h are how long, where the vendor lets one choose.
	Cache5m CachePolicy = "5m"
	Cache1h CachePolicy = "1h"
)

// Cache is what a request says about the provider's prompt cache.
type Cache struct {
	Policy CachePolicy
	// Key is the same for all requests of a session, 64 characters at most. It
	// brings them to the server that has their prefix. "" is sent nowhere.
	Key string
	// Stable is how many entries at the beginning of the history will be sent
	// unchanged from now on.
	Stable int
}
