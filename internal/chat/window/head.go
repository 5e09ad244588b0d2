package window

import (
	"agent/internal/history"
	"agent/internal/llm"
)

// Head is what every request begins with.
type Head struct {
	System string
	Tools  []llm.ToolSpec
}

// countedHead is a Head with its size in tokens by our own count.
type countedHead struct {
	Head
	fixed         bool
	system, tools int
}

func (h *countedHead) count(counter history.Counter) {
	h.system, h.tools = counter.Count(h.System), 0
	for _, spec := range h.Tools {
		h.tools += counter.Count(spec.Name + spec.Description + string(spec.Schema))
	}
}

// Head returns what every request begins with. It is fixed once: a head that
// changed within a session would void the provider's prefix cache.
func (w *Window) Head() Head {
	w.prepare()
	return w.head.Head
}

// overhead is the tokens of the head, by our own count.
func (w *Window) overhead() int {
	w.prepare()
	return w.head.system + w.head.tools
}

// prepare fixes the head and makes everything count with the current model's
// vocabulary.
func (w *Window) prepare() {
	counter := w.Counter(w.Settings().Model)
	changed := counter != w.counter
	if changed {
		w.counter = counter
		w.History.SetCounter(counter)
	}
	if !w.head.fixed {
		w.head.Head, w.head.fixed, changed = w.Config.Head(), true, true
	}
	if changed {
		w.head.count(counter)
	}
}
