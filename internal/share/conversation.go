package share

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"agent/internal/base/arguments"
	"agent/internal/base/humanize"
	"agent/internal/history"
	"agent/internal/text/textdiff"
	"agent/internal/toolspec"
)

// A Conversation is the shared content.
type Conversation struct {
	Title string
	// Cost is the cost of a running conversation, with and without pruning, as text. If Cost is "",
	// the costs stored with the replies are added up.
	Cost     string
	Passages []history.Passage
	// Traits returns the traits of the tool with this name.
	Traits func(name string) toolspec.Traits
}

// facts describes the conversation on one line: its date, model, turns, changed files and cost.
func (c *Conversation) facts() string {
	var day time.Time
	var model string
	turns, files, cost := 0, map[string]bool{}, 0.0
	for _, p := range c.Passages {
		if day.IsZero() {
			day = p.At
		}
		if p.Entry == nil {
			continue
		}
		if p.Entry.IsMessage() {
			turns++
		}
		if name, is := p.Entry.Metadata[history.MetaModel].(string); is {
			model = name
		}
		spent, _ := history.MetaOf[float64](p.Entry, history.MetaCost)
		cost += spent
		deed, _ := history.MetaOf[history.Effect](p.Entry, history.MetaEffect)
		for _, change := range deed.Wrote {
			files[change.Path] = true
		}
	}
	total := c.Cost
	if total == "" && cost > 0 {
		total = humanize.Dollars(cost)
	}
	facts := []string{model, humanize.Count(turns, "turn"), total}
	if !day.IsZero() {
		facts = slices.Insert(facts, 0, day.Format("2 January 2006"))
	}
	if len(files) > 0 {
		facts = slices.Insert(facts, len(facts)-1, humanize.Count(len(files), "file")+" changed")
	}
	return strings.Join(slices.DeleteFunc(facts, func(fact string) bool { return fact == "" }), " · ")
}

// kind is the origin of a part.
type kind int

const (
	// said is text of the user. answered is text of the model in Markdown.
	said kind = iota
	answered
	// did is a tool call or other content that is shown folded.
	did
	// left is pruned content. cleared is a /clear.
	left
	cleared
)

// A part is one piece of the conversation as the screen shows it.
type part struct {
	kind kind
	// begins is set for the first part of a message.
	begins bool
	// head is the visible line of a folded part. diff, with text below it, is the folded content.
	head, diff, text string
}

// teller turns passages into parts.
type teller struct {
	clean  *cleaner
	traits func(name string) toolspec.Traits
	parts  []part
	// open maps the IDs of calls without an answer to these calls.
	open map[string]openCall
}

// openCall is a call without an answer yet. part is the index of the part to complete, and label
// describes the call.
type openCall struct {
	part  int
	label toolspec.Label
}

// tell returns the cleaned parts of a conversation in the order of the screen.
func (c *Conversation) tell(clean *cleaner) []part {
	t := teller{clean: clean, traits: c.Traits, open: map[string]openCall{}}
	number := 0
	for _, p := range c.Passages {
		switch {
		case p.Cleared:
			t.add(part{kind: cleared, head: "/clear: the model starts over"})
		case len(p.Left) > 0:
			t.addLeft(p.Left)
		case !p.Entry.Empty():
			number++
			t.entry(number, p.Entry)
		}
	}
	for _, call := range t.open {
		t.parts[call.part].head = "· " + call.label.NotDone() + " — no answer"
	}
	return t.parts
}

func (t *teller) add(p part) { t.parts = append(t.parts, p) }

func (t *teller) entry(number int, entry *history.Content) {
	where := fmt.Sprintf("entry %d (%s)", number, speakers[entry.Speaker])
	begins := true
	for _, block := range entry.Blocks {
		switch b := block.(type) {
		case *history.Text:
			switch {
			case b.IncludedFile != "":
				t.add(part{kind: did, head: "· " + t.line(where, "included "+b.IncludedFile), text: t.clean.text(where, b.Text)})
			case entry.Metadata[history.MetaSummary] != nil:
				t.add(part{kind: did, head: "· summary of earlier messages", text: t.clean.text(where, b.Text)})
			case b.Source != "":
				t.add(part{kind: did, head: "· " + t.line(where, b.Text), text: t.clean.text(where, b.Text)})
			case entry.Speaker == history.AI:
				t.add(part{kind: answered, text: t.clean.text(where, b.Text)})
			default:
				t.add(part{kind: said, begins: begins, text: t.clean.text(where, b.Text)})
				begins = false
			}
		case *history.ToolCall:
			t.call(where, b)
		case *history.ToolResponse:
			t.answer(where, entry, b)
		case *history.Media:
			t.add(part{kind: did, head: "· " + b.MimeType})
		}
	}
}

// speakers names the speakers in lines about replacements.
var speakers = map[history.Speaker]string{history.Human: "you", history.AI: "agent", history.Tool: "tool"}

// longestHead is the greatest length of a head, in characters.
const longestHead = 160

// line returns a cleaned text, joined to one line.
func (t *teller) line(where, text string) string {
	return humanize.Line(humanize.FirstLine(strings.TrimSpace(t.clean.text(where, text))), longestHead)
}

// call adds a call. answer completes its head later.
func (t *teller) call(where string, b *history.ToolCall) {
	tool, given := t.traits(b.Name), b.Arguments()
	label := tool.Describe(b.Name, given)
	label.Verbs = toolspec.Verbs{Now: t.line(where, label.Now), Done: t.line(where, label.Done), Do: t.line(where, label.Do), Declined: label.Verbs.Declined}
	whole := label.Subject
	label.Subject = t.line(where, whole)
	p := part{kind: did, diff: t.clean.text(where, diffOf(tool, given))}
	if p.diff == "" && (given.Len() > 1 || label.Subject != whole || label.Subject == "" && given.Len() > 0) {
		p.text = t.clean.arguments(where, b)
	}
	t.open[b.ID] = openCall{len(t.parts), label}
	t.add(p)
}

// answer completes the part of a call with the call's answer.
func (t *teller) answer(where string, entry *history.Content, b *history.ToolResponse) {
	call, known := t.open[b.CallID]
	if !known {
		call = openCall{len(t.parts), toolspec.Label{Verbs: toolspec.Verbs{Done: t.line(where, "answer of "+b.ToolName), Do: t.line(where, b.ToolName)}}}
		t.add(part{kind: did})
	}
	delete(t.open, b.CallID)
	p := &t.parts[call.part]
	result, failure := t.clean.text(where, b.Result.Text()), t.clean.text(where, b.Error)
	deed, _ := history.MetaOf[history.Effect](entry, history.MetaEffect)
	added, removed := textdiff.Stat(p.diff)
	switch {
	case failure == "" && deed.Asked != nil && deed.Asked.Answer == "refused":
		p.head = "· " + call.label.DeclinedText()
	case b.ExitCode != nil && *b.ExitCode != 0:
		p.head = fmt.Sprintf("✗ %s — exit %d", call.label.PastTense(), *b.ExitCode)
	case failure != "":
		p.head = "✗ " + call.label.NotDone() + " — " + humanize.Line(humanize.FirstLine(failure), longestHead)
	case p.diff != "":
		p.head = fmt.Sprintf("✓ %s — +%d −%d", call.label.PastTense(), added, removed)
	default:
		p.head = "✓ " + call.label.PastTense() + " — " + humanize.Count(humanize.LineCount(result), "line")
	}
	p.text = strings.Trim(strings.Join(slices.DeleteFunc([]string{p.text, failure, result}, func(s string) bool { return s == "" }), "\n\n"), "\n")
}

// diffOf returns the change that an edit requests, in the form of a diff. It returns "" for any
// other call.
func diffOf(tool toolspec.Traits, given arguments.Arguments) string {
	if !tool.Edits {
		return ""
	}
	var diffs []string
	change := func(text func(name string) string) {
		if before, after := first(text, tool.Old), cmp.Or(first(text, tool.New), first(text, tool.Body)); before+after != "" {
			_, hunks, _ := strings.Cut(textdiff.New(before, after).Unified("", ""), "\n@@")
			diffs = append(diffs, "@@"+hunks)
		}
	}
	change(given.StringArg)
	for _, name := range tool.List {
		raw, _ := given.Value(name)
		var list []map[string]any
		_ = json.Unmarshal(raw, &list) // other values contain no edits
		for _, one := range list {
			change(func(name string) string {
				text, _ := one[name].(string)
				return text
			})
		}
	}
	if patch := first(given.StringArg, tool.Patch); patch != "" {
		diffs = append(diffs, "@@\n"+patch)
	}
	return strings.Join(diffs, "")
}

func first(text func(name string) string, names []string) string {
	for _, name := range names {
		if found := text(name); found != "" {
			return found
		}
	}
	return ""
}

// maxListedItems is the greatest number of pruned items that are listed.
const maxListedItems = 20

// addLeft adds a part that lists the pruned content and the reasons.
func (t *teller) addLeft(prunes []history.Prune) {
	const where = "pruned content"
	tokens := 0
	var lines []string
	for i, p := range prunes {
		if tokens += p.Tokens; i < maxListedItems {
			lines = append(lines, t.line(where, fmt.Sprintf("%s: %s, %s tokens", p.Subject, p.Reason, humanize.Tokens(p.Tokens))))
		}
	}
	if more := len(prunes) - maxListedItems; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	t.add(part{kind: left, head: fmt.Sprintf("≈ %s tokens pruned from the model's context, in %s", humanize.Tokens(tokens), humanize.Count(len(prunes), "item")), text: strings.Join(lines, "\n")})
}
