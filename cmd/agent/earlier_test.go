package main

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/tui"
)

// Who takes a session up again sees where it stands.
func TestEarlier(t *testing.T) {
	t.Parallel()
	asked := history.New(history.Human, &history.Text{Text: "fix @a.go"}, &history.Text{Text: "package a", IncludedFile: "a.go"})
	call := history.New(history.AI, &history.Text{Text: "I look."}, &history.ToolCall{ID: "1", Name: "glob"})
	result := history.New(history.Tool, &history.ToolResponse{CallID: "1", ToolName: "glob"})
	answer := history.New(history.AI, &history.Text{Text: "Done."})
	cut := answer.WithMeta(history.MetaInterrupted, true)
	summary := history.HumanText("what was before").WithMeta(history.MetaSummary, true)
	greeted := tui.Exchange{Said: "hello", Reply: "Done."}
	for _, tt := range []struct {
		name    string
		entries []*history.Content
		want    tui.Earlier
	}{
		{"nothing", nil, tui.Earlier{}},
		{"a summary only", []*history.Content{summary}, tui.Earlier{}},
		{"answered", []*history.Content{history.HumanText("hello"), answer, asked, call, result, answer, summary}, tui.Earlier{
			Exchanges: []tui.Exchange{greeted, {Said: "fix @a.go", Calls: []string{"glob"}, Reply: "Done."}},
		}},
		{"not answered", []*history.Content{history.HumanText("hello"), answer, asked}, tui.Earlier{
			Exchanges: []tui.Exchange{greeted, {Said: "fix @a.go"}}, Unfinished: true,
		}},
		{"killed within the calls", []*history.Content{asked, call}, tui.Earlier{
			Exchanges: []tui.Exchange{{Said: "fix @a.go", Calls: []string{"glob"}, Reply: "I look."}}, Unfinished: true,
		}},
		{"interrupted", []*history.Content{asked, cut}, tui.Earlier{Exchanges: []tui.Exchange{{Said: "fix @a.go", Reply: "Done."}}, Unfinished: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, earlierOf(tt.entries)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Of a long session the end is shown, and it is said how much came before.
func TestEarlierOfALongSession(t *testing.T) {
	t.Parallel()
	var entries []*history.Content
	for i := range earlierShown + 14 {
		entries = append(entries, history.HumanText(fmt.Sprintf("message %d", i)), history.New(history.AI, &history.Text{Text: "ok"}))
	}
	got := earlierOf(entries)
	if got.Before != 14 || len(got.Exchanges) != earlierShown || got.Exchanges[0].Said != "message 14" {
		t.Errorf("%d before, %d shown, from %q", got.Before, len(got.Exchanges), got.Exchanges[0].Said)
	}
}
