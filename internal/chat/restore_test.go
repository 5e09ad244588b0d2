package chat

import (
	"context"
	"strings"
	"testing"

	"agent/internal/history"
	"agent/internal/llm"
)

// TestResume checks that a resumed conversation has its ledger. A call that the end of the program
// left open gets an answer before anything is sent.
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
	if len(responses) != 1 || !strings.Contains(responses[0].Error, "before this call had a result") {
		t.Errorf("responses %+v", responses)
	}
	if sent := b.model.requests[0].History; len(sent) != 4 || sent[0].Text() != "before" {
		t.Errorf("%d entries sent", len(sent))
	}
}

// A resumed session shows the same sizes. The provider's scale is recorded with each reply (D-09),
// even if the reply was pruned, and no rewind changes it.
func TestSizesAfterAResume(t *testing.T) {
	t.Parallel()
	r := newRecorded(t, t.TempDir())
	r.model.next = func(int) answerFunc {
		return func(_ context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
			if yield(llm.Usage{PromptTokens: 5 * (r.overhead() + size(r.bench, req)) / 4}, nil) {
				say("done")(nil, req, yield)
			}
		}
	}
	for _, message := range []string{"first", "second"} {
		if _, err := r.prompt(message); err != nil {
			t.Fatal(err)
		}
	}
	for _, does := range []func(){
		func() {},
		func() { r.goTo(r.points()[1].Seq) },
		func() {
			if err := r.config.History.Clear(); err != nil {
				t.Fatal(err)
			}
		},
	} {
		does()
		was := r.window.Measure.Tokens()
		if was <= r.window.Measure.Estimate() {
			t.Fatalf("%d tokens of %d by our own count", was, r.window.Measure.Estimate())
		}
		r.killAndResume()
		if is := r.window.Measure.Tokens(); is != was {
			t.Errorf("%d tokens, before %d", is, was)
		}
	}
}

// TestResumeOfADamagedRecord checks that a record which contains only answers without calls becomes
// an empty conversation. Otherwise no request could be sent.
func TestResumeOfADamagedRecord(t *testing.T) {
	t.Parallel()
	b := newBench(t, say("going on"))
	orphan := history.New(history.Tool, &history.ToolResponse{CallID: "c", ToolName: "read_file", Result: history.TextResult("x")})
	if err := b.resume([]*history.Content{orphan}, nil); err != nil {
		t.Fatal(err)
	}
	if out, err := b.prompt("after"); err != nil || out.Response != "going on" {
		t.Fatalf("%+v %v", out, err)
	}
}
