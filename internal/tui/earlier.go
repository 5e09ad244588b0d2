package tui

import (
	"fmt"
	"strings"

	"agent/internal/tui/transcript"
	"agent/internal/words"
)

// Earlier is the end of a conversation that is taken up again.
type Earlier struct {
	// Before is how many exchanges came before those that are shown.
	Before    int
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

// showEarlier prints the exchanges folded: of what was called, one line each.
func (m *Model) showEarlier(e Earlier) {
	if e.Before > 0 {
		m.note(dim, "·", words.Count(e.Before, "earlier exchange")+"; /export writes all of it to a file")
	}
	for _, exchange := range e.Exchanges {
		m.print(transcript.Text, promptRows(exchange.Said))
		if len(exchange.Calls) > 0 {
			m.note(dim, "✓", folded(exchange.Calls))
		}
		m.endReply(exchange.Reply)
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
