package tui

import (
	"fmt"
	"strings"

	"agent/internal/tui/pager"
	"agent/internal/tui/style"
	"agent/internal/tui/transcript"
	"agent/internal/words"
)

// Earlier is the end of a conversation that is taken up again.
type Earlier struct {
	// Exchanges are all of it; Ctrl+O opens them.
	Exchanges []Exchange
	// Unfinished is set when the model has not finished with the last one.
	Unfinished bool
}

// Exchange is a message of the user and what became of it.
type Exchange struct {
	Said string
	// Calls are the tools that were called, by name, in their order.
	Calls []string
	// Reply is what the model last said to it.
	Reply string
}

// earlierShown is how many exchanges of a session that is taken up again are printed.
const earlierShown = 20

// earlierRows is how much of an earlier reply is printed, lastRows how much of the last
// one, in rows.
const (
	earlierRows = 40
	lastRows    = 200
)

// showEarlier prints the latest exchanges folded: of what was called, one line each.
func (m *Model) showEarlier(e Earlier) {
	m.earlier = e.Exchanges
	before := max(0, len(e.Exchanges)-earlierShown)
	if before > 0 {
		m.note(dim, "·", words.Count(before, "earlier exchange")+": Ctrl+O opens them")
	}
	for i, exchange := range e.Exchanges[before:] {
		m.print(transcript.Text, promptRows(exchange.Said))
		if len(exchange.Calls) > 0 {
			m.note(dim, "✓", folded(exchange.Calls))
		}
		if most := earlierRows; strings.TrimSpace(exchange.Reply) != "" {
			if before+i == len(e.Exchanges)-1 {
				most = lastRows
			}
			m.print(transcript.Text, func(t *style.Theme, width int) []string {
				return bounded(t, m.md.Render(exchange.Reply, width), most)
			})
		}
	}
	if e.Unfinished {
		m.note(warn, "!", "the model has not finished with this; /retry lets it go on")
	}
}

// folded says in a line what was called, and how often.
func folded(calls []string) string {
	var order []string
	times := map[string]int{}
	for _, name := range calls {
		done := describe(name, name).done
		if times[done]++; times[done] == 1 {
			order = append(order, done)
		}
	}
	for i, done := range order {
		if n := times[done]; n > 1 {
			order[i] = fmt.Sprintf("%s ×%d", done, n)
		}
	}
	return strings.Join(order, ", ")
}

// earlierPages are the earlier exchanges to read, the latest first.
func (m *Model) earlierPages() []pager.Page {
	pages := make([]pager.Page, 0, len(m.earlier))
	for i := len(m.earlier) - 1; i >= 0; i-- {
		exchange := m.earlier[i]
		pages = append(pages, pager.Page{
			Title: fmt.Sprintf("earlier, %d of %d", i+1, len(m.earlier)),
			Lay: func(t *style.Theme, width int) []string {
				rows := append(promptRows(exchange.Said)(t, width), "")
				if len(exchange.Calls) > 0 {
					rows = append(rows, noteRows(dim, "✓", folded(exchange.Calls))(t, width)...)
					rows = append(rows, "")
				}
				return append(rows, m.md.Render(exchange.Reply, width)...)
			},
		})
	}
	return pages
}
