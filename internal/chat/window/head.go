package window

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

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
// essential tools. It leaves out optional parts until fits reports true.
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

func (h *countedHead) count(counter history.Counter) {
	h.system, h.tools = counter.Count(h.System), 0
	for _, spec := range h.Tools {
		h.tools += counter.Count(spec.Name + spec.Description + string(spec.Schema))
	}
}

// Head returns the beginning of every request. It is made once for a window of one size and one
// model: a head that changed within a session would void the provider's prefix cache (D-94).
func (m *measure) Head() Head {
	m.prepare()
	return m.head.Head
}

// overhead returns the size of the head in tokens, by our own count.
func (m *measure) overhead() int {
	m.prepare()
	if r, ok := m.recorded(); ok {
		return r.Head
	}
	return m.head.system + m.head.tools
}

// recorded returns the present request as in the record that is replayed, or false if there is
// none.
func (m *measure) recorded() (compression.Request, bool) {
	if m.Recorded == nil {
		return compression.Request{}, false
	}
	return m.Recorded()
}

// prepare makes everything count with the current model's vocabulary, and makes a new head if the
// window or the model has changed.
func (m *measure) prepare() {
	counter := m.Counter(m.model())
	if counter != m.counter {
		m.counter = counter
		m.History.SetCounter(counter)
		m.head.window = 0
	}
	headFor := ""
	if m.HeadFor != nil {
		headFor = m.HeadFor()
	}
	if size := m.Size(); size != m.head.window || headFor != m.head.headFor {
		m.head = m.makeHead(size)
		m.head.headFor = headFor
	}
}

// makeHead makes the head for a window: the usual one if the window is not small and the head
// takes at most a third of it, else the lean one.
func (m *measure) makeHead(size int) countedHead {
	counted := func(h Head) countedHead {
		c := countedHead{Head: h, window: size}
		c.count(m.counter)
		return c
	}
	fits := func(h Head) bool {
		c := counted(h)
		return c.system+c.tools <= size/headShare
	}
	if size >= leanBelow {
		if usual := counted(m.MakeHead(false, fits)); usual.system+usual.tools <= size/headShare {
			return usual
		}
	}
	head := counted(m.MakeHead(true, fits))
	head.lean = true
	return head
}

// headKind holds the facts about a head that a person should know.
type headKind struct{ lean, cut bool }

// tellHead reports when the window has become too small for the usual head, and when it no longer
// is.
func (m *measure) tellHead() {
	m.prepare()
	kind := headKind{lean: m.head.lean, cut: m.head.Cut}
	if kind == m.toldHead {
		return
	}
	m.toldHead = kind
	now := HeadChosen{Lean: kind.lean, Cut: kind.cut, Tokens: m.Scaled(m.overhead()), Limit: m.Size()}
	for _, tool := range m.head.Tools {
		now.Tools = append(now.Tools, tool.Name)
	}
	m.Tell(now)
}

// HeadSum returns a digest of the head, by which another process recognises the same head.
func (m *measure) HeadSum() string {
	m.prepare()
	if r, ok := m.recorded(); ok {
		return r.HeadSum
	}
	if m.head.sum == "" {
		sum := sha256.New()
		fmt.Fprintf(sum, "%q", m.head.System)
		for _, tool := range m.head.Tools {
			fmt.Fprintf(sum, "%q%q%s", tool.Name, tool.Description, tool.Schema)
		}
		m.head.sum = hex.EncodeToString(sum.Sum(nil)[:8])
	}
	return m.head.sum
}
