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
	// Cut is set if the instructions in System were shortened to fit.
	Cut bool
}

// A HeadMaker builds a head: the usual one, or a lean one with a short prompt and only the essential
// tools. It omits optional parts until fits reports true.
type HeadMaker func(lean bool, fits func(Head) bool) Head

const (
	// leanBelow is the context window in tokens below which the head is lean.
	leanBelow = 8192
	// headShare is the divisor for the part of the context window that a head may use.
	headShare = 3
)

// countedHead is a Head with its size in tokens by our own count.
type countedHead struct {
	Head
	system, tools int
	lean          bool
	// window is the context window for which the head was built. headFor is the result of HeadKey at
	// that time.
	window  int
	headFor string
	// sum is a digest of the head, computed on demand.
	sum string
}

// HeadBuilder builds the head of every request.
type HeadBuilder struct {
	make    HeadMaker
	limits  *Limits
	models  Models
	facts   compression.TraitsLookup
	history *history.Service
	// recorded returns the recorded form of the present request during a replay. Otherwise it is nil.
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

// Head returns the head of every request. It is built once for each size of the context window and each
// model. A head that changed within a session would void the provider's prefix cache (D-94).
func (h *HeadBuilder) Head() Head {
	h.prepare()
	return h.head.Head
}

// overhead returns the size of the head in tokens, by our own count.
func (h *HeadBuilder) overhead() int {
	h.prepare()
	if r, ok := h.record(); ok {
		return r.Head
	}
	return h.head.system + h.head.tools
}

// record returns the recorded form of the present request during a replay, or false.
func (h *HeadBuilder) record() (compression.Request, bool) {
	if h.recorded == nil {
		return compression.Request{}, false
	}
	return h.recorded()
}

// prepare sets the tokenizer of the current model. It builds a new head if the context window or the
// model has changed.
func (h *HeadBuilder) prepare() {
	counter := h.models.Counter(h.limits.model())
	if counter != h.counter {
		h.counter = counter
		h.history.SetCounter(counter)
		h.head.window = 0
	}
	headFor := h.models.HeadKey()
	if size := h.limits.Size(); size != h.head.window || headFor != h.head.headFor {
		h.head = h.makeHead(size)
		h.head.headFor = headFor
	}
}

// makeHead builds the head for a context window. It returns the lean head if the window is small or the
// usual head would exceed a third of it.
func (h *HeadBuilder) makeHead(size int) countedHead {
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

// Digest returns a digest of the head, by which another process identifies the same head.
func (h *HeadBuilder) Digest() string {
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

// recalls reports whether the model has a tool to recall pruned content.
func (h *HeadBuilder) recalls() bool {
	return slices.ContainsFunc(h.Head().Tools, func(tool llm.ToolSpec) bool { return h.facts(tool.Name).NeedsRecord })
}

// renew makes the next request build a new head.
func (h *HeadBuilder) renew() { h.head.window = 0 }
