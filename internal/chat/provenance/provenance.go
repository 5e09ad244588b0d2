// Package provenance traces a text, a file or an instruction: whether the next request contains it, or
// why not. If not, it also determines before which request the content was removed, and how to restore
// it. It follows the recorded changes of a conversation, and computes the request that would be sent
// now.
package provenance

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"

	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/prompts"
)

// State is the present state of a part.
type State string

// The states of a part.
const (
	// StateInContext means that the next request contains the part.
	StateInContext State = "in"
	// StateShortened means that the next request contains the part in a form without the wanted text.
	StateShortened State = "shortened"
	// StatePruned means that the next request contains nothing of the part.
	StatePruned State = "left"
	// StateNeverHeld means that the conversation has never contained the wanted text.
	StateNeverHeld State = "never"
)

// An Answer is the result of tracing a text or a file.
type Answer struct {
	Question string `json:"question"`
	// File is set if the question names a file of the conversation. Otherwise the question is a text to
	// be found exactly as written.
	File bool `json:"file"`
	// State is the best of the states of the parts.
	State State  `json:"state"`
	Parts []Part `json:"parts"`
	// Stays lists the reasons why pruning keeps parts about the file in the context.
	Stays []string `json:"stays,omitempty"`
	// Problem is the reason why the preparation of the next request is not known completely; usually
	// "".
	Problem string `json:"problem,omitempty"`
}

// A Part is one part of the conversation that contained the wanted text.
type Part struct {
	State State `json:"state"`
	// What describes the part: "system prompt, # Notes", "read_file a.go".
	What string `json:"what"`
	// Entry is the index of the part among the entries of the next request, from 1. It is 0 for the
	// system prompt and tools and for removed parts.
	Entry int `json:"entry,omitempty"`
	// Tokens is the size of the part in the next request, or the number of tokens that its removal
	// pruned.
	Tokens int `json:"tokens"`
	// Request is the number of the first request for which the part was pruned or shortened. Upcoming
	// is set if it is the next request.
	Request  int    `json:"request,omitempty"`
	Upcoming bool   `json:"upcoming,omitempty"`
	Reason   string `json:"reason,omitempty"`
	// Number is the line of the ledger with which the part can be recalled, or 0.
	Number int `json:"number,omitempty"`
	// Cut holds the price of the pruning pass. It is nil if prices were not weighed.
	Cut *history.PruningCost `json:"cut,omitempty"`
	// Back describes how to restore the part.
	Back string `json:"back,omitempty"`
}

// A NextRequest is the next request of a conversation, computed on a copy. The first question computes it. Any
// number of questions may follow.
type NextRequest struct {
	// Window is the window of the copy, before the request is prepared. Before prepares the request.
	Window *window.Window
	// Model is the model of the request. Count returns the tokens of a text for the model.
	Model string
	Count func(text string) int
	// Facts returns the traits of tools. Root is the folder of relative paths in calls.
	Facts  compression.TraitsLookup
	Root   string
	Before func(context.Context, *window.Window) error
	// Steps are the changes that led to the history of Window.
	Steps iter.Seq2[history.Step, error]
	// tried is set once the request was computed. recorded is the history before that, and observed the
	// changes made to the copy. problem is the reason why the preparation of the request is not known
	// completely.
	tried    bool
	recorded []*history.Content
	observed []history.Mutation
	problem  string
}

// CacheSteps returns steps that are read from the session log only once, even if they are iterated
// repeatedly.
func CacheSteps(steps iter.Seq2[history.Step, error]) iter.Seq2[history.Step, error] {
	type read struct {
		step history.Step
		err  error
	}
	var all []read
	started := false
	return func(yield func(history.Step, error) bool) {
		if !started {
			started = true
			for step, err := range steps {
				all = append(all, read{step, err})
			}
		}
		for _, r := range all {
			if !yield(r.step, r.err) {
				return
			}
		}
	}
}

// MarkUnrecorded marks that the conversation is not recorded. The pruned content is then unknown, and so is
// the content to be pruned before the next request.
func (n *NextRequest) MarkUnrecorded() {
	n.Before = func(context.Context, *window.Window) error {
		return errors.New("pruned content is unknown: the session has no log (--no-session)")
	}
}

// Observe records a change of the copy. It is a history.Observer.
func (n *NextRequest) Observe(m history.Mutation) error {
	n.observed = append(n.observed, m)
	return nil
}

// try prepares the request on the copy.
func (n *NextRequest) try(ctx context.Context) {
	if n.tried {
		return
	}
	n.tried, n.observed, n.recorded = true, nil, n.Window.History.RawHistory()
	if err := n.Before(ctx, n.Window); errors.Is(err, compression.ErrNoSummarizer) {
		n.problem = "this may change: agent will compress the conversation before the next request, and the summary does not exist yet"
	} else if err != nil {
		n.problem = err.Error()
	}
}

// Ask answers a question about a text or a file.
func (n *NextRequest) Ask(ctx context.Context, question string) (*Answer, error) {
	t := &tracker{question: question, facts: n.Facts, root: n.Root, calls: map[string]*history.ToolCall{}, at: map[history.Block]*part{}}
	n.try(ctx)
	answer := &Answer{Question: question, State: StateNeverHeld, Parts: []Part{}, Problem: n.problem}
	earlier, err := n.former()
	if err != nil {
		return nil, err
	}
	if t.file = t.knows(n.Window); !t.file {
		t.file = t.knowsQuoted(n.Window)
	}
	gone := earlier.parts(t)
	t.file = t.file || len(gone) > 0
	answer.File = t.file
	if n.Steps != nil {
		for step, err := range n.Steps {
			if err != nil {
				return nil, err
			}
			t.follow(step)
		}
	}
	if !slices.Equal(t.entries, n.recorded) { // call pairs were repaired, or the log lacks the changes
		t.follow(history.Step{Kind: history.MutationReplaced, Entries: n.recorded})
	}
	t.upcoming = true
	for _, m := range n.observed {
		t.follow(t.stepOf(m))
	}
	answer.Parts = append(append(append(answer.Parts, t.inHead(n.Window, n.Count)...), t.inEntries(n.Window, n.Model)...), gone...)
	for _, state := range []State{StateInContext, StateShortened, StatePruned} {
		if slices.ContainsFunc(answer.Parts, func(p Part) bool { return p.State == state }) {
			answer.State = state
			break
		}
	}
	if answer.State == StateNeverHeld && answer.Problem == "" {
		answer.Problem = earlier.unknown()
	}
	if t.file {
		for _, h := range n.Window.Contents.PrunableParts(question) {
			answer.Stays = append(answer.Stays, h.Kind+": "+h.Reason)
		}
	}
	return answer, nil
}

// inHead returns the parts of the head that contain the text or are the instruction file.
func (t *tracker) inHead(w *window.Window, count func(string) int) (parts []Part) {
	head := w.Head()
	for _, s := range prompts.Sections(head.System) {
		if t.file && t.names(strings.TrimPrefix(s.Title, prompts.InstructionsFrom)) && strings.HasPrefix(s.Title, prompts.InstructionsFrom) || !t.file && strings.Contains(s.Text, t.question) {
			parts = append(parts, Part{State: StateInContext, What: "system prompt, " + cmp.Or(s.Title, "its beginning"), Tokens: w.Measure.ToProviderTokens(count(s.Text))})
		}
	}
	if !t.file && len(parts) == 0 && strings.Contains(head.System, t.question) {
		parts = append(parts, Part{State: StateInContext, What: "system prompt", Tokens: w.Measure.ToProviderTokens(count(head.System))})
	}
	for _, tool := range head.Tools {
		if text := tool.Name + "\n" + tool.Description + "\n" + string(tool.Schema); !t.file && strings.Contains(text, t.question) {
			parts = append(parts, Part{State: StateInContext, What: "definition of the tool " + tool.Name, Tokens: w.Measure.ToProviderTokens(count(text))})
		}
	}
	return parts
}

// inEntries returns the parts among the entries: first the parts in the request, in order, then the
// others.
func (t *tracker) inEntries(w *window.Window, model string) (parts []Part) {
	sent, _ := w.History.Curated()
	present := map[*part]bool{}
	for i, entry := range sent {
		for _, block := range entry.Blocks {
			p := t.at[block]
			switch {
			case t.file && p == nil, !t.file && !t.holds(block), !sends(block, model):
				continue
			case p == nil:
				p = &part{Part: Part{State: StateInContext, What: t.title(entry, block)}}
			}
			present[p] = true
			p.Entry = i + 1
			if p.State == StateInContext {
				p.Tokens = w.Measure.ToProviderTokens(w.History.CountBlocks([]history.Block{block}))
			}
			parts = append(parts, p.Part)
		}
	}
	for _, p := range t.parts {
		if present[p] {
			continue
		}
		if _, thought := p.block.(*history.Thinking); thought && p.State == StateInContext {
			p.State, p.Reason, p.Back = StatePruned, "agent shows the model's thinking, but does not send it back", "not possible"
		}
		parts = append(parts, p.Part)
	}
	return parts
}

// sends reports whether a block is sent to a model. Reasoning is sent only to models that require it.
func sends(block history.Block, model string) bool {
	thinking, is := block.(*history.Thinking)
	return !is || thinking.Attached != nil && thinking.Attached.Wanted && thinking.Attached.Model == model
}

// knows reports whether the question names a file of the conversation or of its head.
func (t *tracker) knows(w *window.Window) bool {
	if t.question == "" || strings.ContainsAny(t.question, "\n\"<>|") {
		return false
	}
	if slices.ContainsFunc(w.Pins.FilesInContext(), t.names) || slices.ContainsFunc(w.Ledger.Lines(), func(p window.Prune) bool { return p.Subject == t.question || slices.ContainsFunc(p.Paths, t.names) }) {
		return true
	}
	return slices.ContainsFunc(prompts.Sections(w.Head().System), func(s prompts.Section) bool {
		file, is := strings.CutPrefix(s.Title, prompts.InstructionsFrom)
		return is && t.names(file)
	})
}

// knowsQuoted does the same as knows for a file name in shell quotes. If the file is known, the
// question becomes the name without quotes.
func (t *tracker) knowsQuoted(w *window.Window) bool {
	typed := t.question
	for _, quote := range []string{`"`, "'"} {
		inner, opened := strings.CutPrefix(typed, quote)
		inner, closed := strings.CutSuffix(inner, quote)
		if t.question = inner; opened && closed && t.knows(w) {
			return true
		}
	}
	t.question = typed
	return false
}

// names reports whether the question is the path of a file, or the end of that path.
func (t *tracker) names(file string) bool {
	question := history.Absolute("", strings.TrimPrefix(t.question, "@"))
	file = history.Absolute(t.root, file)
	return file == question || strings.HasSuffix(file, "/"+question)
}
