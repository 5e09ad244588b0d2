package chat

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agent/internal/history"
	"agent/internal/llm"
)

// TestWaitingIsReported checks the notices during a silence of the server. They appear after ten
// seconds and then every ten seconds. An announced pause does not count.
func TestWaitingIsReported(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(_ context.Context, _ llm.Request, yield func(llm.Chunk, error) bool) {
			time.Sleep(25 * time.Second)
			yield(llm.Text{Delta: "a"}, nil)
			time.Sleep(9 * time.Second)
			yield(llm.RetryNotice{Attempt: 2, Delay: 30 * time.Second}, nil)
			time.Sleep(41 * time.Second)
			yield(llm.Finish{Reason: "stop"}, nil)
		})
		if _, err := b.Prompt(t.Context(), "hi"); err != nil {
			t.Fatal(err)
		}
		var told []time.Duration
		for _, e := range b.events {
			if waiting, ok := e.(Waiting); ok {
				told = append(told, waiting.For)
			}
		}
		if len(told) != 3 || told[0] != 10*time.Second || told[1] != 20*time.Second || told[2] != 10*time.Second {
			t.Errorf("told %v", told)
		}
	})
}

// TestEmptyReplyUnattended checks that a script does not get an empty reply as an answer.
func TestEmptyReplyUnattended(t *testing.T) {
	t.Parallel()
	for _, unattended := range []bool{false, true} {
		nothing := respond(llm.Finish{Reason: "stop"})
		b := newBench(t, nothing, nothing)
		b.config.Policy.Unattended = unattended
		b.renew()
		if _, err := b.Prompt(t.Context(), "hi"); (err != nil) != unattended {
			t.Errorf("unattended %v: %v", unattended, err)
		}
	}
}

// TestCutCallIsReportedAsCut checks the error for a call that the output limit truncated. It names the
// limit and does not blame the JSON.
func TestCutCallIsReportedAsCut(t *testing.T) {
	t.Parallel()
	cut := llm.ToolCall{ID: "a", Name: "write_file", Arguments: `{"content":"x`, Cut: true}
	b := newBench(t, respond(cut, llm.Finish{Reason: "length"}), say("ok"))
	if _, err := b.Prompt(t.Context(), "hi"); err != nil {
		t.Fatal(err)
	}
	entries := b.model.requests[1].History
	answer := entries[len(entries)-1].Blocks[0].(*history.ToolResponse)
	if !strings.Contains(answer.Error, "cut at the model's output limit") {
		t.Errorf("the model hears %q", answer.Error)
	}
}

// TestTimeoutsComeFromTheSettings checks that the timeouts of a request come from the settings.
func TestTimeoutsComeFromTheSettings(t *testing.T) {
	t.Parallel()
	b := newBench(t, say("ok"))
	b.set("request-timeout", "7s")
	b.set("idle-timeout", "1m")
	b.set("max-retries", "2")
	if _, err := b.Prompt(t.Context(), "hi"); err != nil {
		t.Fatal(err)
	}
	want := llm.Patience{First: 7 * time.Second, Idle: time.Minute, Retries: 2}
	if got := *b.model.requests[0].Patience; got != want {
		t.Errorf("got %+v", got)
	}
}
