package screen

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/base/arguments"
	"agent/internal/history"
	"agent/internal/tools"
	"agent/internal/tui"
)

// If a user resumes a session, the screen prints its last messages.
func TestEarlier(t *testing.T) {
	t.Parallel()
	asked := history.New(history.Human, &history.Text{Text: "fix @a.go"}, &history.Text{Text: "package a", IncludedFile: "a.go"})
	call := history.New(history.AI, &history.Text{Text: "I look."}, &history.ToolCall{ID: "1", Name: "glob", Parameters: []byte(`{"pattern":"*.go"}`)})
	result := history.New(history.Tool, &history.ToolResponse{CallID: "1", ToolName: "glob"})
	answer := history.New(history.AI, &history.Text{Text: "Done."})
	cut := answer.WithMeta(history.MetaInterrupted, true)
	summary := history.HumanText("what was before").WithMeta(history.MetaSummary, true)
	undone := history.New(history.Human, history.NewData(history.SourceUndo, "I undid the changes:", "a.go"))
	printed := history.New(history.Human, history.NewData(history.SourceCommand, "I ran ls:", "a.go"))
	globbed := tools.NewRegistry(tools.Default()...).Traits("glob").Describe("glob", arguments.Parse(`{"pattern":"*.go"}`))
	greeted := tui.EarlierTurn{Said: "hello", Reply: "Done."}
	for _, tt := range []struct {
		name    string
		entries []*history.Content
		want    tui.EarlierConversation
	}{
		{"nothing", nil, tui.EarlierConversation{}},
		{"a summary only", []*history.Content{summary}, tui.EarlierConversation{}},
		{"answered", []*history.Content{history.HumanText("hello"), answer, asked, call, result, answer, summary}, tui.EarlierConversation{
			Exchanges: []tui.EarlierTurn{greeted, {Said: "fix @a.go", Calls: []tui.Call{{Label: globbed}}, Reply: "Done."}},
		}},
		{"what only tells of files, and commands of the user", []*history.Content{history.HumanText("hello"), answer, undone, printed}, tui.EarlierConversation{
			Exchanges: []tui.EarlierTurn{greeted, {Said: "I ran ls:"}},
		}},
		{"a command before the reply", []*history.Content{asked, printed}, tui.EarlierConversation{
			Exchanges: []tui.EarlierTurn{{Said: "fix @a.go"}, {Said: "I ran ls:"}}, Unfinished: true,
		}},
		{"not answered", []*history.Content{history.HumanText("hello"), answer, asked}, tui.EarlierConversation{
			Exchanges: []tui.EarlierTurn{greeted, {Said: "fix @a.go"}}, Unfinished: true,
		}},
		{"killed within the calls", []*history.Content{asked, call}, tui.EarlierConversation{
			Exchanges: []tui.EarlierTurn{{Said: "fix @a.go", Calls: []tui.Call{{Label: globbed, Failed: true}}, Reply: "I look."}}, Unfinished: true,
		}},
		{"a declined proposal", []*history.Content{asked, call, result.WithMeta(history.MetaEffect, history.Effect{Asked: &history.Decision{By: "person", Answer: "refused"}}), answer}, tui.EarlierConversation{
			Exchanges: []tui.EarlierTurn{{Said: "fix @a.go", Calls: []tui.Call{{Label: globbed, Declined: true}}, Reply: "Done."}},
		}},
		{"undone", []*history.Content{asked, call, result.WithMeta(history.MetaUndone, true), answer}, tui.EarlierConversation{
			Exchanges: []tui.EarlierTurn{{Said: "fix @a.go", Calls: []tui.Call{{Label: globbed, Undone: true}}, Reply: "Done."}},
		}},
		{"interrupted", []*history.Content{asked, cut}, tui.EarlierConversation{Exchanges: []tui.EarlierTurn{{Said: "fix @a.go", Reply: "Done."}}, Unfinished: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, earlierOf(tt.entries, tools.NewRegistry(tools.Default()...))); diff != "" {
				t.Error(diff)
			}
		})
	}
}
