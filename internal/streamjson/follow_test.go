package streamjson

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/atcmd"
	"agent/internal/base/arguments"
	"agent/internal/chat"
	"agent/internal/snapshot"
	"agent/internal/tools"
)

// followed returns an event of each kind that a client displays.
func followed() []chat.Event {
	registry := tools.NewRegistry(tools.Default()...)
	label := registry.Traits("glob").Describe("glob", arguments.Parse(`{"pattern":"*.go"}`))
	zero := 0
	asked := chat.Approval{
		ID: 3, Agent: "explore", AgentID: "s-a", Task: "look", Call: 2, Tool: "ask_user", Traits: registry.Traits("ask_user"), Always: "edits", ForGood: "edits here", Often: "often", After: []string{"next"},
		Preview: tools.Preview{Title: "which?", Diff: "-a\n+b\n", Remark: "because", Inquiries: []tools.Inquiry{{Question: "Which?", Options: []tools.Option{{Label: "a", Description: "the first"}, {Label: "b"}}, YesNo: true, Draft: "text"}}},
	}
	return []chat.Event{
		chat.TurnStarted{},
		chat.UserMessage{Text: "look", Included: []atcmd.IncludedFile{{Path: "a.go", Lines: 3}}, Skipped: []atcmd.SkippedPath{{Path: "b", Reason: "gone"}}},
		chat.RequestStarted{},
		chat.TextDelta{Delta: "a\u2028b"},
		chat.ReasoningDelta{Delta: "hm"},
		chat.TextWasThinking{},
		chat.ReplyDiscarded{},
		chat.ReplyEnded{Text: "I look.", Interrupted: true},
		chat.CallRequested{ID: "1", Name: "glob", Label: label, Arguments: arguments.Parse(`{"pattern":"*.go"}`)},
		chat.ToolStarted{Call: 1, ID: "1", Name: "glob", Label: label},
		chat.ToolOutput{Call: 1, Data: "x"},
		chat.ToolEnded{Call: 1, ID: "1", Name: "glob", Label: label, Traits: registry.Traits("glob"), Answer: tools.Answer{Text: "a.go", ExitCode: &zero, Diff: "+a", Summary: "1 file"}, Duration: 2 * time.Second, Typed: true, Denied: &chat.Decision{Reason: "no"}, Unanswered: true},
		chat.ApprovalRequested{Approval: asked},
		chat.ApprovalSettled{ID: 3},
		chat.Waiting{Model: "m", For: time.Second},
		chat.QueueChanged{Messages: []string{"next"}},
		chat.QueueChanged{Messages: []string{}},
		chat.MessageReturned{Message: atcmd.TypedMessage("back")},
		chat.StatusChanged{Status: chat.Status{Model: "m", Tokens: 7, Mode: "ask", Todo: "1 of 2"}, Stats: chat.Stats{Requests: 2, Cost: 0.5}},
		chat.UsageReported{PromptTokens: 5},
		chat.Notice{Text: "note"},
		chat.Searched{Query: "q", Sources: []string{"s"}},
		chat.Retry{Attempt: 2, Delay: time.Second, Reason: "busy"},
		chat.CompressionStarted{Strategy: "s", Model: "m"},
		chat.Compressed{Strategy: "s", Reason: "r", TokensBefore: 9, TokensAfter: 3, Applied: true},
		chat.AgentStarted{AgentState: chat.AgentState{ID: "s-b", CallID: "4", Agent: "explore", Title: "look", Model: "m"}},
		chat.AgentEvent{ID: "s-b", Agent: "explore", Event: chat.ReplyEnded{Text: "found"}},
		chat.TurnEnded{Outcome: chat.Outcome{Stop: chat.StopDone, Response: "done"}, Changes: snapshot.Changes{Files: []string{"a"}, Added: 1}},
	}
}

// A client can decode the events of the session from its lines, as far as a screen displays them.
func TestFollowerReturnsTheEvents(t *testing.T) {
	t.Parallel()
	var f Decoder
	for _, want := range followed() {
		data, err := json.Marshal(ClientLine(want))
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.Decode(data)
		if err != nil {
			t.Errorf("%s: %v", data, err)
		}
		ignored := cmp.FilterPath(func(p cmp.Path) bool { name := p.Last().String(); return name == ".Traits" || name == ".Arguments" }, cmp.Ignore())
		if diff := cmp.Diff(want, got, ignored, cmp.AllowUnexported(tools.Preview{})); diff != "" {
			t.Errorf("%T (-want +got):\n%s", want, diff)
		}
	}
	failed, err := f.Decode([]byte(`{"type":"turn","stop":"failed","error":"no key"}`))
	if ended, is := failed.(chat.TurnEnded); !is || err != nil || ended.Err == nil || ended.Err.Error() != "no key" || errors.Is(ended.Err, err) {
		t.Errorf("%+v %v", failed, err)
	}
}

// Lines of other versions, and invalid lines, are harmless.
func FuzzFollower(f *testing.F) {
	f.Add([]byte(`{"type":"approval","forms":[{},{}],"preview":{"Inquiries":[{}]}}`))
	f.Add([]byte(`{"type":"tool_result","callId":1}`))
	f.Add([]byte(`{"type":"later"}`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		var follower Decoder
		_, _ = follower.Decode(data)
	})
}
