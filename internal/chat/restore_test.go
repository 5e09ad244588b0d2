package chat

import (
	"strings"
	"testing"

	"agent/internal/history"
)

// TestResume: a recorded conversation is taken up with its ledger, and a call the
// program's end left open is answered before anything is sent.
func TestResume(t *testing.T) {
	t.Parallel()
	b := newBench(t, say("going on"))
	recorded := []*history.Content{
		history.HumanText("before"),
		history.New(history.AI, &history.ToolCall{ID: "c", Name: "read_file"}),
	}
	ledger := []PruneRecord{{Kind: "stale-read", Subject: "a", Tokens: 30}, {Kind: "stale-read", Subject: "b", Tokens: 12}}
	if err := b.resume(recorded, ledger); err != nil {
		t.Fatal(err)
	}
	if status := b.status(); status.Freed != 42 {
		t.Errorf("freed %d", status.Freed)
	}
	if out, err := b.prompt("after"); err != nil || out.Response != "going on" {
		t.Fatalf("%+v %v", out, err)
	}
	responses := b.responses()
	if len(responses) != 1 || !strings.Contains(responses[0].Error, "before this call was answered") {
		t.Errorf("responses %+v", responses)
	}
	if sent := b.model.requests[0].History; len(sent) != 4 || sent[0].Text() != "before" {
		t.Errorf("%d entries sent", len(sent))
	}
}
