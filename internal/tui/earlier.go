package tui

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/traits"
	"agent/internal/tui/pager"
	"agent/internal/tui/style"
	"agent/internal/tui/transcript"
	"agent/internal/words"
)

// Earlier is the end of a conversation that is resumed.
type Earlier struct {
	// Exchanges are all of it; Ctrl+O opens them.
	Exchanges []Exchange
	// Unfinished is set when the model has not finished with the last one.
	Unfinished bool
}

// Exchange is a message of the user and what became of it.
type Exchange struct {
	Said string
	// Calls are those the model made, in their order.
	Calls []Call
	// Reply is what the model last said to it.
	Reply string
}

// Call is a tool that was called.
type Call struct {
	Said traits.Said
	// Failed is set when nothing came of it.
	Failed bool
}

// earlierShown is how many exchanges of a session that is resumed are printed.
const earlierShown = 20

// earlierRows is how much of an earlier reply is printed, lastRows how much of the last
// one, in rows.
const (
	earlierRows = 40
	lastRows    = 200
)

// showEarlier prints the latest exchanges folded: of what was called, one line each.
func (a *activity) showEarlier(e Earlier) {
	a.earlier = e.Exchanges
	before := max(0, len(e.Exchanges)-earlierShown)
	if before > 0 {
		how := ": " + a.keys.Label("outputs") + " opens them"
		if a.opts.Plain {
			how = " before these: agent sessions show has them"
		}
		a.note(dim, "·", words.Count(before, "earlier exchange")+how)
	}
	for i, exchange := range e.Exchanges[before:] {
		a.print(transcript.Text, promptRows(exchange.Said))
		if len(exchange.Calls) > 0 {
			a.print(transcript.Line, foldedRows(exchange.Calls))
		}
		if most := earlierRows; strings.TrimSpace(exchange.Reply) != "" {
			if before+i == len(e.Exchanges)-1 {
				most = lastRows
			}
			a.print(transcript.Text, func(t *style.Theme, width int) []string {
				return bounded(t, a.md.Render(exchange.Reply, width), most)
			})
		}
	}
	if e.Unfinished {
		a.note(warn, "!", "the model has not finished with this; /retry lets it go on")
	}
}

// foldedRows arranges what was called: what was done, and what failed.
func foldedRows(calls []Call) transcript.Lay {
	worked := slices.DeleteFunc(slices.Clone(calls), func(c Call) bool { return c.Failed })
	failed := slices.DeleteFunc(slices.Clone(calls), func(c Call) bool { return !c.Failed })
	return func(t *style.Theme, width int) (rows []string) {
		if len(worked) > 0 {
			rows = noteRows(dim, "✓", folded(worked, traits.Said.Ended))(t, width)
		}
		if len(failed) > 0 {
			rows = append(rows, noteRows(dim, "✗", folded(failed, traits.Said.NotDone))(t, width)...)
		}
		return rows
	}
}

// Bounds of what is said of calls of a kind: how many of the things they were about, and
// how much of each, in characters.
const (
	foldedNamed = 4
	foldedAbout = 60
)

// folded says in a few words what was called, how often, and what that was about.
func folded(calls []Call, verb func(traits.Said) string) string {
	type kind struct {
		verb  string
		calls int
		about []string
	}
	var kinds []*kind
	for _, c := range calls {
		said := describe(c.Said)
		said.Subject = ""
		what := verb(said)
		at := slices.IndexFunc(kinds, func(k *kind) bool { return k.verb == what })
		if at < 0 {
			at = len(kinds)
			kinds = append(kinds, &kind{verb: what})
		}
		k := kinds[at]
		k.calls++
		if about := words.Line(style.Reveal(said.Key).Text, foldedAbout); about != "" && !slices.Contains(k.about, about) {
			k.about = append(k.about, about)
		}
	}
	said := make([]string, len(kinds))
	for i, k := range kinds {
		said[i] = k.verb
		if named := min(len(k.about), foldedNamed); named > 0 {
			said[i] += " " + strings.Join(k.about[:named], ", ")
		}
		if more := len(k.about) - foldedNamed; more > 0 {
			said[i] += fmt.Sprintf(" and %d more", more)
		} else if k.calls > max(1, len(k.about)) {
			said[i] += fmt.Sprintf(" ×%d", k.calls)
		}
	}
	return strings.Join(said, " · ")
}

// earlierPages are the earlier exchanges to read, the latest first.
func (a *activity) earlierPages() []pager.Page {
	pages := make([]pager.Page, 0, len(a.earlier))
	for i, exchange := range slices.Backward(a.earlier) {
		pages = append(pages, pager.Page{
			Title: fmt.Sprintf("earlier, %d of %d", i+1, len(a.earlier)),
			Lay: func(t *style.Theme, width int) []string {
				rows := append(promptRows(exchange.Said)(t, width), "")
				if len(exchange.Calls) > 0 {
					rows = append(rows, foldedRows(exchange.Calls)(t, width)...)
					rows = append(rows, "")
				}
				return append(rows, a.md.Render(exchange.Reply, width)...)
			},
		})
	}
	return pages
}
