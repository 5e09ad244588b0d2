package chat

import (
	"slices"
	"sync"
	"time"
)

// Costs is the ledger of what requests cost. Conversations that share one have one
// max-cost together. The zero value is ready; it is safe for concurrent use.
type Costs struct {
	mu      sync.Mutex
	entries []Cost
	spent   float64
}

// Cost is what one request took.
type Cost struct {
	// Conversation is the ID of the one that sent the request.
	Conversation string
	Model        string
	At           time.Time
	Usage        UsageReported
	// USD is what it cost, nil where the prices are not known.
	USD *float64
}

// Entries are the requests so far, oldest first.
func (c *Costs) Entries() []Cost {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.entries)
}

// Spent is what the requests cost so far whose prices are known, in USD.
func (c *Costs) Spent() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.spent
}

func (c *Costs) add(entry Cost) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries = append(c.entries, entry)
	if entry.USD != nil {
		c.spent += *entry.USD
	}
}
