package window

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"agent/internal/history"
	"agent/internal/llm"
)

// Head is what every request begins with.
type Head struct {
	System string
	Tools  []llm.ToolSpec
	// Cut reports that the instructions in System were cut to fit.
	Cut bool
}

// HeadMaker makes a head: the usual one, or a lean one with a short prompt and only
// the essential tools. What can be left out of it is, until fits says that it is
// short enough.
type HeadMaker func(lean bool, fits func(Head) bool) Head

const (
	// leanBelow is the window, in tokens, below which the head is lean.
	leanBelow = 8192
	// headShare is the part of the window that a head may take, as a divisor.
	headShare = 3
)

// countedHead is a Head with its size in tokens by our own count.
type countedHead struct {
	Head
	system, tools int
	lean          bool
	// window is the size it was made for, whom the HeadFor.
	window int
	whom   string
	// sum is a digest of it, made when it is asked for.
	sum string
}

func (h *countedHead) count(counter history.Counter) {
	h.system, h.tools = counter.Count(h.System), 0
	for _, spec := range h.Tools {
		h.tools += counter.Count(spec.Name + spec.Description + string(spec.Schema))
	}
}

// Head returns what every request begins with. It is made once for a window of one
// size and one model: a head that changed within a session would void the provider's
// prefix cache (D-94).
func (w *Window) Head() Head {
	w.prepare()
	return w.head.Head
}

// overhead is the tokens of the head, by our own count.
func (w *Window) overhead() int {
	w.prepare()
	return w.head.system + w.head.tools
}

// prepare makes everything count with the current model's vocabulary, and the head
// fit the current window.
func (w *Window) prepare() {
	counter := w.Counter(w.Settings().Model)
	if counter != w.counter {
		w.counter = counter
		w.History.SetCounter(counter)
		w.head.window = 0
	}
	whom := ""
	if w.HeadFor != nil {
		whom = w.HeadFor()
	}
	if size := w.Size(); size != w.head.window || whom != w.head.whom {
		w.head = w.makeHead(size)
		w.head.whom = whom
	}
}

// makeHead makes the head for a window: the usual one if the window is not small and
// a third of it holds the head, else the lean one.
func (w *Window) makeHead(size int) countedHead {
	counted := func(h Head) countedHead {
		c := countedHead{Head: h, window: size}
		c.count(w.counter)
		return c
	}
	fits := func(h Head) bool {
		c := counted(h)
		return c.system+c.tools <= size/headShare
	}
	if size >= leanBelow {
		if usual := w.Config.Head(false, fits); fits(usual) {
			return counted(usual)
		}
	}
	head := counted(w.Config.Head(true, fits))
	head.lean = true
	return head
}

// headKind is what a person should know of a head.
type headKind struct{ lean, cut bool }

// tellHead says when the window is too small for the usual head, and when it no
// longer is.
func (w *Window) tellHead() {
	w.prepare()
	kind := headKind{lean: w.head.lean, cut: w.head.Cut}
	if kind == w.toldHead {
		return
	}
	w.toldHead = kind
	now := HeadChosen{Lean: kind.lean, Cut: kind.cut, Tokens: w.scaled(w.overhead()), Limit: w.Size()}
	for _, tool := range w.head.Tools {
		now.Tools = append(now.Tools, tool.Name)
	}
	w.Tell(now)
}

// headSum is a digest of the head, by which it is found to be the same in another
// process.
func (w *Window) headSum() string {
	w.prepare()
	if w.head.sum == "" {
		sum := sha256.New()
		fmt.Fprintf(sum, "%q", w.head.System)
		for _, tool := range w.head.Tools {
			fmt.Fprintf(sum, "%q%q%s", tool.Name, tool.Description, tool.Schema)
		}
		w.head.sum = hex.EncodeToString(sum.Sum(nil)[:8])
	}
	return w.head.sum
}
