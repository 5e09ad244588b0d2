package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"agent/internal/testing/llmtest"
)

// A user can ask a side question in an editor while a reply arrives. The reply stays one message,
// and no later request contains the question.
func TestEditorAsksBeside(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	server := llmtest.New(t, llmtest.Say("it begins").Wait(release).Say("it goes on"), llmtest.Say("beside"), llmtest.Say("later"))
	e := startEditorOf(t, t.TempDir(), server)
	session := e.start(t.TempDir())
	shown := func(text string) bool { return strings.Contains(strings.Join(e.lines, "\n"), `"text":"`+text+`"`) }
	turn := e.prompt(session, "go")
	for !shown("it begins") {
		e.next()
	}
	if m := e.response(e.prompt(session, "/btw what\n.*[(?"), nil); string(m.Result) != `{"stopReason":"end_turn"}` || !shown("beside") {
		t.Fatalf("%s %+v", m.Result, m.Error)
	}
	close(release)
	e.response(turn, nil)
	e.response(e.prompt(session, "more"), nil)
	messages := map[string][]string{}
	for _, line := range e.lines {
		var m struct {
			Params struct {
				Update struct {
					MessageID string `json:"messageId"`
					Content   struct{ Text string }
				}
			}
		}
		if json.Unmarshal([]byte(line), &m) == nil && m.Params.Update.MessageID != "" {
			messages[m.Params.Update.MessageID] = append(messages[m.Params.Update.MessageID], m.Params.Update.Content.Text)
		}
	}
	var said []string
	for _, texts := range messages {
		said = append(said, strings.Join(texts, "|"))
	}
	slices.Sort(said)
	if want := []string{"beside", "it begins|it goes on", "later"}; !slices.Equal(said, want) {
		t.Errorf("the messages are %q, want %q", said, want)
	}
	requests := server.Requests()
	if len(requests) != 3 || !strings.Contains(string(requests[1].Body), "what") || strings.Contains(string(requests[2].Body), "beside") {
		t.Errorf("%d requests, the last %s", len(requests), requests[len(requests)-1].Body)
	}
}
