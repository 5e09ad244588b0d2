package cacheaware

import (
	"strings"

	"agent/internal/history"
)

// useWords finds the units that a reply uses: those it quotes in an edit, and
// those of which it holds rare words.
func (e *Engine) useWords(reply *history.Content) {
	seen, count := map[string]bool{}, map[int]int{}
	for _, block := range reply.Blocks {
		switch b := block.(type) {
		case *history.Text:
			e.words.used(b.Text, seen, count)
		case *history.ToolCall:
			e.words.used(string(b.Parameters), seen, count)
			for _, a := range longArguments(b, e.Tools(b.Name)) {
				if a.part == oldText {
					e.useQuote(a.text)
				}
			}
		}
	}
	for at, n := range count {
		if n >= rareWords {
			e.use(at)
		}
	}
}

// useQuote finds the newest unit that shows what an edit quotes.
func (e *Engine) useQuote(text string) {
	if text == "" {
		return
	}
	for at := len(e.units) - 1; at >= 0; at-- {
		u := &e.units[at]
		if u.text != "" && strings.Contains(u.text, text) {
			e.use(at)
			return
		}
	}
}

// use notes that the reply to the request that was sent last used a unit.
func (e *Engine) use(at int) { e.units[at].used = e.request + 1 }
