package tui

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/toolspec"
	"agent/internal/tui/pager"
	"agent/internal/tui/style"
	"agent/internal/tui/transcript"
)

// EarlierConversation holds the conversation of a resumed session.
type EarlierConversation struct {
	// Exchanges holds all turns, oldest first. The latest are printed; Ctrl+O opens all.
	Exchanges []EarlierTurn
	// Unfinished is set if the model has not finished its answer to the last message.
	Unfinished bool
}

// EarlierTurn is a message of the user with the calls and the reply that answered it.
type EarlierTurn struct {
	Said string
	// Calls holds the calls of the model, in order.
	Calls []Call
	// Reply is the last text of the model in this turn.
	Reply string
}

// Call is a tool call.
type Call struct {
	Label toolspec.Label
	// Failed is set if the call did not succeed. Declined is set if the user declined it. Undone is set if
	// the user has undone its changes since.
	Failed, Declined, Undone bool
}

// earlierShown limits the printed turns of a resumed session.
const earlierShown = 20

// earlierRows limits the printed rows of an earlier reply, and lastRows those of the last reply.
const (
	earlierRows = 40
	lastRows    = 200
)

// showEarlier prints the latest turns. The calls of each turn are summarized in one or two lines.
func (a *activity) showEarlier(e EarlierConversation) {
	a.earlier = e.Exchanges
	before := max(0, len(e.Exchanges)-earlierShown)
	if before > 0 {
		how := ": " + a.surface.keys.Label("outputs") + " opens them"
		if a.surface.plain {
			how = " not shown. To see all, run: agent sessions show NAME"
		}
		a.surface.note(dim, "·", humanize.Count(before, "earlier turn")+how)
	}
	for i, exchange := range e.Exchanges[before:] {
		a.surface.print(transcript.KindText, promptRows(exchange.Said))
		if len(exchange.Calls) > 0 {
			a.surface.print(transcript.KindLine, foldedRows(exchange.Calls))
		}
		if most := earlierRows; strings.TrimSpace(exchange.Reply) != "" {
			if before+i == len(e.Exchanges)-1 {
				most = lastRows
			}
			a.surface.print(transcript.KindText, func(t *style.Theme, width int) []string {
				return boundRows(t, a.surface.md.Render(exchange.Reply, width), most)
			})
		}
	}
	if e.Unfinished {
		a.surface.note(warn, "!", "the model did not finish. To continue, type /retry")
	}
}

// foldedRows lays out calls: one line for the successful calls, one for the undone calls, one for the failed
// calls, and one for each declined call.
func foldedRows(calls []Call) transcript.Layout {
	worked := slices.DeleteFunc(slices.Clone(calls), func(c Call) bool { return c.Failed || c.Declined || c.Undone })
	undone := slices.DeleteFunc(slices.Clone(calls), func(c Call) bool { return !c.Undone })
	failed := slices.DeleteFunc(slices.Clone(calls), func(c Call) bool { return !c.Failed })
	return func(t *style.Theme, width int) (rows []string) {
		if len(worked) > 0 {
			rows = noteRows(dim, "✓", summarizeCalls(worked, toolspec.Label.PastTense))(t, width)
		}
		if len(undone) > 0 {
			rows = append(rows, noteRows(dim, "·", "undone: "+summarizeCalls(undone, toolspec.Label.PastTense))(t, width)...)
		}
		if len(failed) > 0 {
			rows = append(rows, noteRows(dim, "✗", summarizeCalls(failed, toolspec.Label.NotDone))(t, width)...)
		}
		for _, c := range calls {
			if c.Declined {
				rows = append(rows, noteRows(dim, "·", describe(c.Label).DeclinedText())(t, width)...)
			}
		}
		return rows
	}
}

// foldedNamed limits the subjects that are named for calls of one kind. foldedAbout limits the characters
// shown of each subject.
const (
	foldedNamed = 4
	foldedAbout = 60
)

// summarizeCalls summarizes calls in a few words: for each kind the verb, the subjects and the number.
func summarizeCalls(calls []Call, verb func(toolspec.Label) string) string {
	type kind struct {
		verb  string
		calls int
		about []string
	}
	var kinds []*kind
	for _, c := range calls {
		said := describe(c.Label)
		subject := said.Key
		if said.About != "" { // the label of the call names another part of it
			subject = said.Subject
		}
		said.Subject = ""
		what := verb(said)
		at := slices.IndexFunc(kinds, func(k *kind) bool { return k.verb == what })
		if at < 0 {
			at = len(kinds)
			kinds = append(kinds, &kind{verb: what})
		}
		k := kinds[at]
		k.calls++
		if about := humanize.Line(style.Reveal(subject).Text, foldedAbout); about != "" && !slices.Contains(k.about, about) {
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

// earlierPages returns a page for each earlier turn, the latest first.
func (a *activity) earlierPages() []pager.Page {
	pages := make([]pager.Page, 0, len(a.earlier))
	for i, exchange := range slices.Backward(a.earlier) {
		pages = append(pages, pager.Page{
			Key:   fmt.Sprint("earlier ", i),
			Title: fmt.Sprintf("earlier turn %d of %d", i+1, len(a.earlier)),
			Layout: func(t *style.Theme, width int) []string {
				rows := append(promptRows(exchange.Said)(t, width), "")
				if len(exchange.Calls) > 0 {
					rows = append(rows, foldedRows(exchange.Calls)(t, width)...)
					rows = append(rows, "")
				}
				return append(rows, a.surface.md.Render(exchange.Reply, width)...)
			},
		})
	}
	return pages
}
