package cacheaware

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agent/internal/history"
)

// A call whose content was replaced by placeholders is removed with its answer after some time.
// Todo lists stay, and so do the newest call on a file, the newest edits, and calls with provider
// data.
func TestEmptyCallsAreRemoved(t *testing.T) {
	t.Parallel()
	spoken := &talk{}
	spoken.human("go")
	spoken.call("grep", map[string]any{"pattern": "x"}, source("Found", 40), false)
	spoken.call("grep", map[string]any{"pattern": "signed"}, source("Signed", 40), false)
	spoken.call("todo", map[string]any{"items": strings.Repeat("step ", 200)}, strings.Repeat("noted ", 90), false)
	spoken.call("lines", map[string]any{"path": "old.go", "from": 1, "to": 50}, source("Old", 50), false)
	spoken.call("lines", map[string]any{"path": "old.go", "from": 1, "to": 60}, source("Old", 60), false)
	for i := range 60 {
		spoken.call("shell", map[string]any{"command": fmt.Sprint("true ", i)}, "ok", false)
	}
	call := spoken.entries[3].Blocks[0].(*history.ToolCall)
	spoken.entries[3] = spoken.entries[3].WithBlocks([]history.Block{&history.ToolCall{
		ID: call.ID, Name: call.Name, Parameters: call.Parameters, Attached: &history.Attachment{Wanted: true, Data: []byte(`"s"`)},
	}})
	e := newEngine()
	var left []string
	run(e, spoken.entries, func(request int) RequestFacts { return RequestFacts{Price: SafePrice, Cold: request%9 == 0} }, func(p Plan) {
		for _, c := range p.Changes {
			if c.Why == ReasonEmptyCall {
				left = append(left, fmt.Sprint(c.Kind, " ", c.Subject))
			}
		}
	})
	if want := []string{"call grep", "call /w/old.go"}; !slices.Equal(left, want) {
		t.Errorf("%q left, want %q", left, want)
	}
	checkShape(t, 0, spoken.entries, e)
	if e.Len() != len(spoken.entries)-4 {
		t.Errorf("%d entries are left of %d", e.Len(), len(spoken.entries))
	}
}

// If a reply also has text or other calls, only the empty call is removed.
func TestEmptyCallsAreRemovedFromAnEntry(t *testing.T) {
	t.Parallel()
	entries := []*history.Content{
		history.HumanText("go"),
		history.New(history.AI, &history.ToolCall{ID: "a", Name: "grep", Parameters: []byte(`{"p":1}`)}, &history.ToolCall{ID: "b", Name: "todo", Parameters: []byte(`{}`)}),
		history.New(history.Tool, &history.ToolResponse{CallID: "a", ToolName: "grep", Result: history.TextResult(source("F", 40))}),
		history.New(history.Tool, &history.ToolResponse{CallID: "b", ToolName: "todo", Result: history.TextResult("noted")}),
		history.New(history.AI, &history.Text{Text: "I look again."}, &history.ToolCall{ID: "c", Name: "grep", Parameters: []byte(`{"p":2}`)}),
		history.New(history.Tool, &history.ToolResponse{CallID: "c", ToolName: "grep", Result: history.TextResult(source("G", 40))}),
	}
	e, h := newEngine(), history.NewService(bytesCounter{}, nil)
	add := func(entry *history.Content) {
		e.Add(entry)
		if err := h.Add(entry); err != nil {
			t.Fatal(err)
		}
	}
	for _, entry := range entries {
		add(entry)
	}
	for i := range 40 {
		m := RequestFacts{Price: SafePrice, Cold: true}
		applied := e.Apply(e.Plan(m))
		if err := h.ApplyDensityResult(applied); err != nil {
			t.Fatal(err)
		}
		if e.conversation.total != h.TotalTokens() {
			t.Fatalf("request %d: the engine counts %d tokens, the history %d", i, e.conversation.total, h.TotalTokens())
		}
		add(history.New(history.AI, &history.Text{Text: fmt.Sprint("thought ", i)}))
	}
	sent := h.RawHistory()
	if err := history.Validate(sent); err != nil {
		t.Fatal(err)
	}
	if got := shapes(sent[1:4], nil); !slices.Equal(got, []string{"call btodo", "answer b", "ai I look again."}) {
		t.Errorf("%q is left", got)
	}
}

// Follow accepts a damaged record which lacks the answer to an empty call.
func TestFollowAnEmptyCallWithoutItsAnswer(t *testing.T) {
	t.Parallel()
	e, call := newEngine(), history.New(history.AI, &history.ToolCall{ID: "a", Name: "grep", Parameters: []byte(`{}`)})
	for _, entry := range []*history.Content{history.HumanText("go"), call} {
		e.Follow(history.Step{Kind: history.MutationAdded, Entry: entry})
	}
	e.Follow(history.Step{Kind: history.MutationDensity, Edits: map[*history.Content]history.Edit{call: {Kinds: []history.PruneKind{history.PruneKind(ReasonEmptyCall)}}}})
	if e.Len() != 1 {
		t.Errorf("%d entries are left", e.Len())
	}
}

// Follow accepts a damaged record whose replacement of an answer has no blocks.
func TestFollowAReplacementWithoutItsBlocks(t *testing.T) {
	t.Parallel()
	e, talk := newEngine(), &talk{}
	talk.call("read", map[string]any{"path": "a.go"}, source("A", 40), false)
	for _, entry := range talk.entries {
		e.Follow(history.Step{Kind: history.MutationAdded, Entry: entry})
	}
	answer := talk.entries[1]
	e.Follow(history.Step{Kind: history.MutationDensity, Edits: map[*history.Content]history.Edit{
		answer: {After: answer.WithBlocks(nil), Kinds: []history.PruneKind{history.PruneKind(ReasonUnused)}},
	}})
	if held := e.PrunableParts("", RequestFacts{Price: SafePrice}); len(held) > 0 {
		t.Errorf("%+v is left of nothing", held)
	}
}
