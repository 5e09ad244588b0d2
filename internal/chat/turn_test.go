package chat

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"agent/internal/atcmd"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/tools"
)

func TestTurnRunsToolsUntilTheModelStops(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("read_file", `{"file_path":"a"}`, "read_file", `{"file_path":"b"}`), say("done"))
	out, err := b.prompt("look")
	if err != nil || out.Stop != StopDone || out.Response != "done" || out.Requests != 2 || out.ToolCalls != 2 {
		t.Fatalf("outcome %+v, %v", out, err)
	}
	if n := len(b.responses()); n != 2 {
		t.Errorf("%d responses stored", n)
	}
}

// TestEveryCallIsAnswered covers calls that cannot run. Each gets an error for the model, and the
// loop continues (D-32).
func TestEveryCallIsAnswered(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ tool, args, want string }{
		"unknown tool":            {"raed_file", `{}`, "read_file"},
		"arguments not JSON":      {"read_file", `{"file_path":`, "valid JSON"},
		"arguments not an object": {"read_file", `[1]`, "valid JSON"},
		"a tool that panics":      {"panics", `{}`, "boom"},
		"a preview that fails":    {"write_file", `{}`, "nothing to do"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, calls(tc.tool, tc.args, "read_file", `{"file_path":"a"}`), say("ok"))
			if out, err := b.prompt("go"); err != nil || out.Stop != StopDone {
				t.Fatalf("%+v, %v", out, err)
			}
			responses := b.responses()
			if len(responses) != 2 || !strings.Contains(responses[0].Error, tc.want) || responses[1].Error != "" {
				t.Errorf("responses %+v", responses)
			}
		})
	}
}

func TestFailedRequestKeepsTheMessage(t *testing.T) {
	t.Parallel()
	refused := &llm.Error{Kind: llm.Auth, Message: "key refused"}
	b := newBench(t, fail(refused), say("hello"))
	out, err := b.prompt("first")
	if !errors.Is(err, refused) || out.Stop != StopFailed {
		t.Fatalf("%+v, %v", out, err)
	}
	if _, err := b.prompt("second"); err != nil {
		t.Fatal(err)
	}
	if got := b.texts(history.Human); !slices.Equal(got, []string{"first", "second"}) {
		t.Errorf("human entries %q", got)
	}
}

func TestCutReplyIsKeptAndMarked(t *testing.T) {
	t.Parallel()
	cut := &llm.Error{Kind: llm.Truncated, Message: "cut"}
	b := newBench(t, fail(cut, llm.Text{Delta: "half an ans"}, llm.ToolCall{ID: "c", Name: "read_file", Arguments: `{"fi`}))
	if _, err := b.prompt("go"); !errors.Is(err, cut) {
		t.Fatal(err)
	}
	raw := b.config.History.RawHistory()
	last := raw[len(raw)-1]
	if last.Text() != "half an ans" || len(last.Calls()) != 0 || last.Metadata[history.MetaInterrupted] != true {
		t.Errorf("stored %+v", last)
	}
}

func TestInterruptWhileStreaming(t *testing.T) {
	t.Parallel()
	var b *bench
	b = newBench(t, func(ctx context.Context, _ llm.Request, yield func(llm.Chunk, error) bool) {
		yield(llm.Text{Delta: "thinking"}, nil)
		b.Interrupt()
		<-ctx.Done()
		yield(nil, ctx.Err())
	}, say("again"))
	if out, err := b.prompt("go"); err != nil || out.Stop != StopInterrupted {
		t.Fatalf("%+v %v", out, err)
	}
	if out, err := b.prompt("more"); err != nil || out.Response != "again" {
		t.Fatalf("%+v %v", out, err)
	}
}

func TestInterruptWhileToolsRun(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("read_file", `{"file_path":"a"}`, "waits", `{}`, "write_file", `{"file_path":"x"}`, "write_file", `{"file_path":"y"}`), say("later"))
	b.on = func(e Event) {
		if started, ok := e.(ToolStarted); ok && started.Name == "waits" {
			go b.Interrupt()
		}
	}
	if out, err := b.prompt("go"); err != nil || out.Stop != StopInterrupted {
		t.Fatalf("%+v %v", out, err)
	}
	responses := b.responses()
	if len(responses) != 4 {
		t.Fatalf("%d responses", len(responses))
	}
	for i, want := range []string{"", "interrupted", "not run", "not run"} {
		if !strings.Contains(responses[i].Error, want) || want == "" && responses[i].Error != "" {
			t.Errorf("response %d: error %q", i, responses[i].Error)
		}
	}
}

func TestQueuedMessagesArriveBetweenCalls(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("read_file", `{"file_path":"a"}`), say("both"))
	b.on = func(e Event) {
		if _, ok := e.(ToolStarted); ok {
			b.Send("and b")
		}
	}
	if _, err := b.prompt("do a"); err != nil {
		t.Fatal(err)
	}
	if got := b.texts(history.Human); !slices.Equal(got, []string{"do a", "and b"}) {
		t.Errorf("human entries %q", got)
	}
	last := b.model.requests[1].History
	if last[len(last)-1].Text() != "and b" {
		t.Error("the queued message is not in the next request")
	}
}

func TestUnqueueTakesTheNewestBack(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("asks", `{}`), say("ok"))
	var taken atcmd.Message
	b.Chat.config.Tools = tools.NewRegistry(tools.Tool{Name: "asks", Traits: tools.Traits{Reads: true}, Plan: applied(func(ctx context.Context, _ *tools.Env) tools.Answer {
		b.Send("one")
		b.Send("two")
		taken, _ = b.Unqueue(ctx)
		return tools.Answer{Text: "asked"}
	})})
	b.renew()
	if _, err := b.prompt("go"); err != nil {
		t.Fatal(err)
	}
	if got := b.texts(history.Human); taken.Text() != "two" || !slices.Equal(got, []string{"go", "one"}) {
		t.Errorf("took %q back, human entries %q", taken, got)
	}
}

func TestMaxTurns(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("read_file", `{"file_path":"a"}`), calls("read_file", `{"file_path":"b"}`))
	b.set("max-turns", "2")
	out, err := b.prompt("go")
	if err != nil || out.Stop != StopMaxTurns || out.Requests != 2 {
		t.Fatalf("%+v %v", out, err)
	}
}
