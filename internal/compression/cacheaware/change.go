package cacheaware

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/history"
)

// Change is one thing that leaves the context.
type Change struct {
	// Entry and Block say where it stands.
	Entry, Block int
	// Kind says what it is, in a few words: "view", "old text", "answer" …
	Kind string
	// Subject names it: a path, or a tool and its key.
	Subject string
	// Why says why it may go.
	Why Why
	// Text is what the answer shows instead, where a file is folded into it.
	Text string
	// Tokens is what it frees, less than zero for the copy that a fold makes.
	Tokens int

	unit int
}

// Why says why a unit may go.
type Why string

// The reasons.
const (
	Free   Why = "nothing is lost"
	Cold   Why = "not used for long"
	Soft   Why = "near its end, and a cut is made anyway"
	Folded Why = "one current copy in its place"
)

// pointerFor is what stands in the place of a unit.
func pointerFor(p part, text string, f *fact) string {
	lines := fmt.Sprintf("%d lines", 1+strings.Count(strings.TrimSuffix(text, "\n"), "\n"))
	if lines == "1 lines" {
		lines = "1 line"
	}
	switch {
	case p == result && f.act == View && len(f.paths) > 0:
		return fmt.Sprintf("[pruned: %s of %s — read it again if needed]", lines, shortName(f.path()))
	case p == result:
		return fmt.Sprintf("[pruned: %s of output — run it again if needed]", lines)
	default:
		return fmt.Sprintf("[pruned: %s]", lines)
	}
}

// shortName keeps a pointer short however long the path is.
func shortName(path string) string {
	const most = 40
	if len(path) <= most {
		return path
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	if len(name) > most {
		name = strings.ToValidUTF8(name[:most], "")
	}
	return "…/" + name
}

// Marker is how every pointer begins. Tools that are given one as the text to
// replace refuse it: it is not part of any file.
const Marker = "[pruned: "

// foldHeading stands before the current text of a file.
func foldHeading(path string) string {
	return "[current content of " + path + ", in place of its earlier versions]\n"
}

// Apply makes the changes of a plan. It returns the entries that changed, by
// index.
func (e *Engine) Apply(p Plan) map[int]*history.Content {
	changed := map[int]*history.Content{}
	for _, c := range p.Changes {
		u := &e.units[c.unit]
		entry := e.entries[c.Entry]
		blocks := slices.Clone(entry.Blocks)
		switch b := blocks[u.block].(type) {
		case *history.ToolCall:
			if parameters, ok := replaceArgument(b.Parameters, u.at, pointerFor(u.part, u.text, u.fact)); ok {
				blocks[u.block] = b.WithParameters(parameters)
			}
		case *history.ToolResponse:
			text := c.Text
			if text == "" {
				text = pointerFor(result, b.Result.Text(), u.fact)
			}
			blocks[u.block] = b.WithResult(text)
		}
		e.entries[c.Entry] = entry.WithBlocks(blocks)
		changed[c.Entry] = e.entries[c.Entry]
		e.replace(c)
	}
	return changed
}

// replace notes that a unit is a pointer now, or holds the text of a file.
func (e *Engine) replace(c Change) {
	u := &e.units[c.unit]
	e.account.kept = min(e.account.kept, c.unit)
	e.total -= c.Tokens
	u.tokens -= c.Tokens
	u.free = c.Why == Free || c.Why == Folded
	if c.Text == "" {
		u.state, u.text = pruned, ""
		return
	}
	f := e.files[u.fact.path()]
	u.state, u.text = current, c.Text
	u.folded, u.foldedAt, f.copy = f, e.request, c.unit
}

// Sent notes that the request was sent, and settles what it cost.
func (e *Engine) Sent(m Moment) {
	a := &e.account
	a.none += e.costOfAll(m)
	cached := 0
	if a.sentOnce && !m.Cold {
		cached = m.Head
		for i := range a.kept {
			cached += e.units[i].tokens
		}
	}
	total := m.Head + e.total
	a.spent += float64(cached)*m.Price.Read + float64(total-cached)*m.Price.Write
	a.sent, a.kept, a.unpruned, a.sentOnce = len(e.units), len(e.units), e.unpruned, true
}
