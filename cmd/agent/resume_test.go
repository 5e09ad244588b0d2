package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/chat"
	"agent/internal/history"
)

// Who takes a session up again sees where it stands.
func TestLatestExchange(t *testing.T) {
	t.Parallel()
	asked := history.New(history.Human, &history.Text{Text: "fix @a.go"}, &history.Text{Text: "package a", IncludedFile: "a.go"})
	call := history.New(history.AI, &history.Text{Text: "I look."}, &history.ToolCall{ID: "1", Name: "glob"})
	result := history.New(history.Tool, &history.ToolResponse{CallID: "1", ToolName: "glob"})
	answer := history.New(history.AI, &history.Text{Text: "Done."})
	cut := answer.WithMeta(history.MetaInterrupted, true)
	summary := history.HumanText("what was before").WithMeta(history.MetaSummary, true)
	message := chat.UserMessage{Text: "fix @a.go"}
	unfinished := chat.Notice{Text: "the model has not finished with this; /retry lets it go on"}
	for _, tt := range []struct {
		name    string
		entries []*history.Content
		want    []chat.Event
	}{
		{"nothing", nil, nil},
		{"a summary only", []*history.Content{summary}, nil},
		{"answered", []*history.Content{history.HumanText("hello"), answer, asked, call, result, answer, summary}, []chat.Event{message, chat.ReplyEnded{Text: "Done."}}},
		{"not answered", []*history.Content{history.HumanText("hello"), answer, asked}, []chat.Event{message, unfinished}},
		{"killed within the calls", []*history.Content{asked, call}, []chat.Event{message, chat.ReplyEnded{Text: "I look."}, unfinished}},
		{"interrupted", []*history.Content{asked, cut}, []chat.Event{message, chat.ReplyEnded{Text: "Done."}, unfinished}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, latestExchange(tt.entries)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
