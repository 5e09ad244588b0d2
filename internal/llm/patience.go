package llm

import "time"

// Patience is how long Watch waits for a provider and how often Retry asks it
// again.
type Patience struct {
	// First is how long it may take until the first part of a reply and from one
	// part to the next while only keep-alives come.
	First time.Duration
	// Idle is how long a reply that has begun may be silent, without even a
	// keep-alive.
	Idle time.Duration
	// Retries is how often a request that failed is made again.
	Retries int
	// Unattended means that nobody waits for the answer: an endpoint that cannot be
	// reached is asked for longer.
	Unattended bool
}

// DefaultPatience is what a request without a Patience gets.
func DefaultPatience() Patience {
	return Patience{First: 5 * time.Minute, Idle: 2 * time.Minute, Retries: 8}
}

func (r Request) patience() Patience {
	if r.Patience == nil {
		return DefaultPatience()
	}
	return *r.Patience
}
