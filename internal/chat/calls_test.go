package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agent/internal/llm"
	"agent/internal/tools"
)

func fakeTool(name string, run func(ctx context.Context, env *tools.Env) tools.Answer) tools.Tool {
	return tools.Tool{Name: name, Traits: tools.Traits{Reads: true, Parallel: true, Key: "file_path"}, Plan: applied(run)}
}

// TestReadsRunInParallel checks that read-only calls run in parallel: two calls wait for each
// other. The answers are stored in the model's order.
func TestReadsRunInParallel(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("first", `{}`, "nosuch", `{}`, "second", `{}`), say("ok"))
	met := make(chan struct{})
	b.config.Tools = tools.NewRegistry(
		fakeTool("first", func(ctx context.Context, _ *tools.Env) tools.Answer {
			select {
			case <-met:
				return tools.Answer{Text: "met"}
			case <-ctx.Done():
				return tools.Answer{}
			}
		}),
		fakeTool("second", func(context.Context, *tools.Env) tools.Answer { close(met); return tools.Answer{Text: "met"} }),
	)
	b.renew()
	if _, err := b.prompt("go"); err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, r := range b.responses() {
		order = append(order, r.ToolName)
	}
	if !slices.Equal(order, []string{"first", "nosuch", "second"}) {
		t.Errorf("stored as %v", order)
	}
}

// The time of a call does not include its wait for parallel calls.
func TestTimeOfParallelCalls(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("quick", `{}`, "slow", `{}`), say("ok"))
	var ran, slow atomic.Bool
	measured := make(chan struct{})
	b.config.Now = func() time.Time {
		switch {
		case slow.Load():
			return time.Unix(3600, 0)
		case ran.CompareAndSwap(true, false):
			close(measured)
			return time.Unix(1, 0)
		}
		return time.Unix(0, 0)
	}
	b.config.Tools = tools.NewRegistry(
		fakeTool("quick", func(context.Context, *tools.Env) tools.Answer { ran.Store(true); return tools.Answer{Text: "ran"} }),
		fakeTool("slow", func(context.Context, *tools.Env) tools.Answer {
			<-measured
			slow.Store(true)
			return tools.Answer{Text: "ran"}
		}),
	)
	b.renew()
	if _, err := b.prompt("go"); err != nil {
		t.Fatal(err)
	}
	var took []time.Duration
	for _, e := range b.events {
		if e, ended := e.(ToolEnded); ended {
			took = append(took, e.Duration)
		}
	}
	if !slices.Equal(took, []time.Duration{time.Second, time.Hour}) {
		t.Errorf("they took %v", took)
	}
}

// TestEditsRunOneAfterTheOther checks that edits run one at a time in the model's order, and that
// later calls wait for them.
func TestEditsRunOneAfterTheOther(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("write_file", `{"file_path":"a"}`, "write_file", `{"file_path":"b"}`, "read_file", `{"file_path":"a"}`), say("ok"))
	if _, err := b.prompt("go"); err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, e := range b.events {
		switch e := e.(type) {
		case ToolStarted:
			told = append(told, fmt.Sprint("start ", e.Call))
		case ToolEnded:
			told = append(told, fmt.Sprint("end ", e.Call))
		}
	}
	if want := []string{"start 1", "end 1", "start 2", "end 2", "start 3", "end 3"}; !slices.Equal(told, want) {
		t.Errorf("%v", told)
	}
}

// TestInterruptBetweenCalls checks that an interrupt prevents calls that have not started.
func TestInterruptBetweenCalls(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("write_file", `{"file_path":"a"}`, "write_file", `{"file_path":"b"}`))
	b.on = func(e Event) {
		if _, ok := e.(ToolEnded); ok {
			b.Interrupt()
		}
	}
	if out, err := b.prompt("go"); err != nil || out.Stop != StopInterrupted {
		t.Fatalf("%+v %v", out, err)
	}
	if started := seen[ToolStarted](b); len(started) != 1 {
		t.Errorf("%d calls began", len(started))
	}
}

// TestAbandonedCallsHaveTheirError checks that an invalid call gets its error even if the turn
// ends before it.
func TestAbandonedCallsHaveTheirError(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("write_file", `{"file_path":"a"}`, "nosuch", `{}`, "write_file", `{"file_path":"b"}`))
	b.set("approval-mode", "ask")
	b.answering(Decision{})
	if out, err := b.prompt("go"); err != nil || out.Stop != StopDenied {
		t.Fatalf("%+v %v", out, err)
	}
	for i, want := range []string{"refused", "nosuch", "not run"} {
		if got := b.responses()[i].Error; !strings.Contains(got, want) {
			t.Errorf("call %d is answered %q, want %q", i, got, want)
		}
	}
}

// TestExitStatus checks that the exit status of a command is in the history.
func TestExitStatus(t *testing.T) {
	t.Parallel()
	status := 1
	b := newBench(t, calls("check", `{}`), say("ok"))
	b.config.Tools = tools.NewRegistry(fakeTool("check", func(context.Context, *tools.Env) tools.Answer {
		return tools.Answer{Text: "2 failures", ExitCode: &status}
	}))
	b.renew()
	if _, err := b.prompt("go"); err != nil {
		t.Fatal(err)
	}
	if r := b.responses()[0]; r.ExitCode == nil || *r.ExitCode != 1 || r.Error != "" {
		t.Errorf("stored %+v", r)
	}
}

// TestToolLimitsFollowTheSettings checks that a changed limit is valid for the next call.
func TestToolLimitsFollowTheSettings(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var got []tools.Limits
	b.config.Tools = tools.NewRegistry(fakeTool("look", func(_ context.Context, env *tools.Env) tools.Answer {
		got = append(got, env.Limits)
		return tools.Answer{Text: "ok"}
	}))
	b.renew()
	b.model.next = func(n int) answerFunc {
		if n%2 == 1 {
			return say("ok")
		}
		return calls("look", `{}`)
	}
	want := []tools.Limits{{OutputTokens: 11, FoundTokens: 14, OutlineTokens: 15, ReadLines: 12, ShellTimeoutSeconds: 13}, {OutputTokens: 21, FoundTokens: 24, OutlineTokens: 25, ReadLines: 22, ShellTimeoutSeconds: 23}}
	for _, limits := range want {
		b.set("tool-output-max-tokens", fmt.Sprint(limits.OutputTokens))
		b.set("found-max-tokens", fmt.Sprint(limits.FoundTokens))
		b.set("read-outline-tokens", fmt.Sprint(limits.OutlineTokens))
		b.set("file-read-max-lines", fmt.Sprint(limits.ReadLines))
		b.set("shell-timeout-seconds", fmt.Sprint(limits.ShellTimeoutSeconds))
		if _, err := b.prompt("go"); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("limits %+v, want %+v", got, want)
	}
}

func TestOutlineTokens(t *testing.T) {
	t.Parallel()
	for flags, want := range map[string]int{
		"":                                    0,
		"model=gpt-5.6":                       0,
		"model=claude-fable":                  6000,
		"model=anthropic/claude-opus-5":       6000,
		"model=claude-fable prompt-cache=off": 0,
		"model=claude-fable read-outline-tokens=0": 0,
		"model=gpt-5.6 read-outline-tokens=3000":   3000,
	} {
		b := newBench(t)
		for _, flag := range strings.Fields(flags) {
			key, value, _ := strings.Cut(flag, "=")
			b.set(key, value)
		}
		if got := OutlineTokens(b.config.Settings); got != want {
			t.Errorf("%q: outlines from %d tokens on, want %d", flags, got, want)
		}
	}
}

// TestRequestCarriesTheSettings checks that a request uses the settings at the time when it is
// made.
func TestRequestCarriesTheSettings(t *testing.T) {
	t.Parallel()
	b := newBench(t, say("ok"), say("ok"))
	if _, err := b.prompt("go"); err != nil {
		t.Fatal(err)
	}
	if r := b.model.requests[0]; r.Temperature != nil || r.TopP != nil || r.ReasoningEffort != "" || r.MaxOutputTokens != 0 || r.System != "be brief" || len(r.Tools) != len(b.config.Tools.All()) {
		t.Errorf("without settings %+v", r)
	}
	for key, value := range map[string]string{"temperature": "0.3", "top_p": "0.9", "reasoning.effort": "low", "max-output-tokens": "77", "model": "other"} {
		b.set(key, value)
	}
	if _, err := b.prompt("again"); err != nil {
		t.Fatal(err)
	}
	if r := b.model.requests[1]; *r.Temperature != 0.3 || *r.TopP != 0.9 || r.ReasoningEffort != "low" || r.MaxOutputTokens != 77 || r.Model != "other" {
		t.Errorf("with settings %+v", r)
	}
}

// TestTotals checks the totals of a session.
func TestTotals(t *testing.T) {
	t.Parallel()
	usage := llm.Usage{PromptTokens: 100, CompletionTokens: 10, CachedTokens: 60}
	b := newBench(t, respond(llm.ToolCall{ID: "a", Name: "read_file", Arguments: `{"file_path":"a"}`}, usage), respond(llm.Text{Delta: "ok"}, usage), say("more"))
	for _, text := range []string{"go", "on"} {
		if _, err := b.prompt(text); err != nil {
			t.Fatal(err)
		}
	}
	want := Stats{Requests: 3, ToolCalls: 1, UsageReported: UsageReported{PromptTokens: 200, CompletionTokens: 20, CachedTokens: 120}, Unpriced: UsageReported{PromptTokens: 200, CompletionTokens: 20, CachedTokens: 120}}
	if got := b.figures(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if u := b.window.Usage(); u.Prompt != 100 || u.Cached != 60 || len(seen[UsageReported](b)) != 2 {
		t.Errorf("%+v", u)
	}
	if b.lastReply != "more" {
		t.Errorf("last reply %q", b.lastReply)
	}
}

// Of a very large number of calls, the first ones run and the others get an error. None is lost.
func TestMoreCallsThanAreRun(t *testing.T) {
	t.Parallel()
	var asked []string
	for i := range maxCalls + 44 {
		asked = append(asked, "write_file", fmt.Sprintf(`{"file_path":"f%d"}`, i))
	}
	b := newBench(t, calls(asked...), say("ok"))
	if out, err := b.prompt("go"); err != nil || out.Response != "ok" {
		t.Fatalf("%+v, %v", out, err)
	}
	answers := b.responses()
	if len(answers) != maxCalls+44 || len(seen[ToolStarted](b)) != maxCalls {
		t.Fatalf("%d answers, %d started", len(answers), len(seen[ToolStarted](b)))
	}
	for i, answer := range answers {
		if want := i >= maxCalls; strings.HasPrefix(answer.Error, "not run: only the first 256 calls of a reply are run") != want || answer.Error == "" == want {
			t.Errorf("call %d is answered %q", i, answer.Error)
		}
	}
}
