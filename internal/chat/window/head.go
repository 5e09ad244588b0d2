package window

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm"
)

// Head is the beginning of every request: the system prompt and the tools.
type Head struct {
	System string
	Tools  []llm.ToolSpec
	// Cut is set if the instructions in System were cut to fit.
	Cut bool
}

// A HeadMaker makes a head: the usual one, or a lean one with a short prompt and only the
// essential tools. It omits optional parts until fits reports true.
type HeadMaker func(lean bool, fits func(Head) bool) Head

const (
	// leanBelow is the window, in tokens, below which the head is lean.
	leanBelow = 8192
	// headShare is the divisor that gives the part of the window that a head may take.
	headShare = 3
)

// countedHead is a Head with its size in tokens by our own count.
type countedHead struct {
	Head
	system, tools int
	lean          bool
	// window is the size of the window for which the head was made, and headFor the result of
	// HeadFor at that time.
	window  int
	headFor string
	// sum is a digest of the head, made on demand.
	sum string
}

// Heads makes the beginning of every request.
type Heads struct {
	make    HeadMaker
	limits  *Limits
	models  Models
	facts   compression.Facts
	history *history.Service
	// recorded returns the recorded form of the present request during a replay; it is nil outside
	// of one.
	recorded func() (compression.Request, bool)

	head    countedHead
	counter history.Counter
}

func (h *countedHead) count(counter history.Counter) {
	h.system, h.tools = counter.Count(h.System), 0
	for _, spec := range h.Tools {
		h.tools += counter.Count(spec.Name + spec.Description + string(spec.Schema))
	}
}

// Head returns the beginning of every request. It is made once for a window of one size and one
// model: a head that changed within a session would void the provider's prefix cache (D-94).
func (h *Heads) Head() Head {
	h.prepare()
	return h.head.Head
}

// overhead returns the size of the head in tokens, by our own count.
func (h *Heads) overhead() int {
	h.prepare()
	if r, ok := h.record(); ok {
		return r.Head
	}
	return h.head.system + h.head.tools
}

// record returns the present request as in the record that is replayed, or false if there is
// none.
func (h *Heads) record() (compression.Request, bool) {
	if h.recorded == nil {
		return compression.Request{}, false
	}
	return h.recorded()
}

// prepare makes everything count with the current model's vocabulary, and makes a new head if the
// window or the model has changed.
func (h *Heads) prepare() {
	counter := h.models.Counter(h.limits.model())
	if counter != h.counter {
		h.counter = counter
		h.history.SetCounter(counter)
		h.head.window = 0
	}
	headFor := h.models.HeadFor()
	if size := h.limits.Size(); size != h.head.window || headFor != h.head.headFor {
		h.head = h.makeHead(size)
		h.head.headFor = headFor
	}
}

// makeHead makes the head for a window: the usual one if the window is not small and the head
// takes at most a third of it, else the lean one.
func (h *Heads) makeHead(size int) countedHead {
	counted := func(made Head) countedHead {
		c := countedHead{Head: made, window: size}
		c.count(h.counter)
		return c
	}
	fits := func(made Head) bool {
		c := counted(made)
		return c.system+c.tools <= size/headShare
	}
	if size >= leanBelow {
		if usual := counted(h.make(false, fits)); usual.system+usual.tools <= size/headShare {
			return usual
		}
	}
	head := counted(h.make(true, fits))
	head.lean = true
	return head
}

// Sum returns a digest of the head, by which another process recognises the same head.
func (h *Heads) Sum() string {
	h.prepare()
	if r, ok := h.record(); ok {
		return r.HeadSum
	}
	if h.head.sum == "" {
		sum := sha256.New()
		fmt.Fprintf(sum, "%q", h.head.System)
		for _, tool := range h.head.Tools {
			fmt.Fprintf(sum, "%q%q%s", tool.Name, tool.Description, tool.Schema)
		}
		h.head.sum = hex.EncodeToString(sum.Sum(nil)[:8])
	}
	return h.head.sum
}

// recalls reports whether the model has a tool to ask for pruned content.
func (h *Heads) recalls() bool {
	return slices.ContainsFunc(h.Head().Tools, func(tool llm.ToolSpec) bool { return h.facts(tool.Name).NeedsRecord })
}

// renew lets the next request have a new head.
func (h *Heads) renew() { h.head.window = 0 }
