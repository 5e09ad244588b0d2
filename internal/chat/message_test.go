package chat

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"agent/internal/atcmd"
	"agent/internal/base/arguments"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/tools"
)

var errMissing = errors.New("there is no file @nowhere")

// expandExisting expands every message, except a message that mentions a missing file.
func expandExisting(_ context.Context, message atcmd.Message, _ RunEmbedded) (atcmd.Expansion, error) {
	text := message.Text()
	if strings.Contains(text, "@nowhere") {
		return atcmd.Expansion{}, errMissing
	}
	return atcmd.Expansion{
		Blocks:   []history.Block{&history.Text{Text: text}, history.NewInclusion("a.go", "package a")},
		Included: []atcmd.IncludedFile{{Path: "a.go", Lines: 1, Bytes: 9}},
		Skipped:  []atcmd.SkippedPath{{Path: "b.bin", Reason: "it is binary"}},
	}, nil
}

func TestMessageWithFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t, say("ok"))
	b.config.Extensions.Expand = expandExisting
	b.renew()
	if _, err := b.prompt("look @a.go"); err != nil {
		t.Fatal(err)
	}
	told := seen[UserMessage](b)
	if len(told) != 1 || told[0].Text != "look @a.go" || len(told[0].Included) != 1 || len(told[0].Skipped) != 1 {
		t.Errorf("told %+v", told)
	}
	if blocks := b.config.History.RawHistory()[0].Blocks; len(blocks) != 2 {
		t.Errorf("stored %d blocks", len(blocks))
	}
}

// TestMessageThatCannotBeSent checks that the user gets the message back, and that nothing is
// stored or sent.
func TestMessageThatCannotBeSent(t *testing.T) {
	t.Parallel()
	b := newBench(t, say("never"))
	b.config.Extensions.Expand = expandExisting
	b.renew()
	out, err := b.prompt("look @nowhere")
	if !errors.Is(err, errMissing) || out.Stop != StopFailed {
		t.Fatalf("%+v %v", out, err)
	}
	if got := seen[MessageReturned](b); len(got) != 1 || got[0].Message.Text() != "look @nowhere" {
		t.Errorf("returned %v", got)
	}
	if b.config.History.Len() != 0 || len(b.model.requests) != 0 || len(seen[UserMessage](b)) != 0 {
		t.Error("it went in all the same")
	}
}

// TestQueuedMessageThatCannotBeSent checks that the message does not end the turn in which it was
// typed.
func TestQueuedMessageThatCannotBeSent(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("read_file", `{"file_path":"a"}`), say("done"))
	b.config.Extensions.Expand = expandExisting
	b.renew()
	b.on = func(e Event) {
		if _, ok := e.(ToolStarted); ok {
			b.Send("and @nowhere")
			b.Send("and here")
		}
	}
	if out, err := b.prompt("go"); err != nil || out.Response != "done" {
		t.Fatalf("%+v %v", out, err)
	}
	if got := seen[MessageReturned](b); len(got) != 1 || got[0].Message.Text() != "and @nowhere" {
		t.Errorf("returned %v", got)
	}
	if got := seen[Notice](b); len(got) != 1 || got[0].Text != errMissing.Error() {
		t.Errorf("told %v", got)
	}
	if got := len(b.texts(history.Human)); got != 2 {
		t.Errorf("%d human entries", got)
	}
}

// TestInterruptWhileFilesAreRead checks that it is reported as an interrupt, not as a failure.
func TestInterruptWhileFilesAreRead(t *testing.T) {
	t.Parallel()
	b := newBench(t, say("never"))
	b.config.Extensions.Expand = func(ctx context.Context, _ atcmd.Message, _ RunEmbedded) (atcmd.Expansion, error) {
		b.Interrupt()
		b.inbox.serve()
		return atcmd.Expansion{}, ctx.Err()
	}
	b.renew()
	if out, err := b.prompt("look @everything"); err != nil || out.Stop != StopInterrupted {
		t.Fatalf("%+v %v", out, err)
	}
	if got := seen[MessageReturned](b); len(got) != 1 {
		t.Errorf("returned %v", got)
	}
}

// TestInterruptWithMessagesWaiting checks that an interrupt ends the turn even if the provider
// still answers. Queued messages are kept.
func TestInterruptWithMessagesWaiting(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.model.next = func(n int) answerFunc {
		if n > 0 {
			t.Fatal("asked again after the interrupt")
		}
		return say("done")
	}
	b.on = func(e Event) {
		if _, ok := e.(ReplyEnded); ok {
			b.Send("next")
			b.Interrupt()
		}
	}
	if out, err := b.prompt("go"); err != nil || out.Stop != StopInterrupted || !slices.Equal(texts(b.waiting.queue), []string{"next"}) {
		t.Errorf("%+v %v, waiting %q", out, err, b.waiting.queue)
	}
}

// TestFullDiskLeavesAValidHistory checks that whichever record fails, every call has an answer and
// the conversation can continue.
func TestFullDiskLeavesAValidHistory(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	for at := 1; at <= 4; at++ {
		t.Run(fmt.Sprint("record ", at), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, calls("read_file", `{"file_path":"a"}`, "write_file", `{"file_path":"b"}`), say("ok"), say("ok"))
			records := 0
			b.keep(history.NewService(wordCount{}, func(history.Mutation) error {
				if records++; records == at {
					return full
				}
				return nil
			}))
			if out, err := b.prompt("go"); !errors.Is(err, full) || out.Stop != StopFailed {
				t.Fatalf("%+v %v", out, err)
			}
			if at == 1 && len(b.model.requests) > 0 {
				t.Error("a request was sent although the message is not on disk")
			}
			if at > 1 && len(b.responses()) != 2 {
				t.Errorf("%d responses to two calls", len(b.responses()))
			}
			if requested, ended := len(seen[CallRequested](b)), len(seen[ToolEnded](b)); requested != ended {
				t.Errorf("%d calls requested, %d ended", requested, ended)
			}
			b.model.next = func(int) answerFunc { return say("ok") }
			if _, err := b.prompt("again"); err != nil {
				t.Errorf("the next message does not work: %v", err)
			}
		})
	}
}

// TestCallIDsNeverCollide checks that a generated ID never equals a later ID of the model.
func TestCallIDsNeverCollide(t *testing.T) {
	t.Parallel()
	for _, given := range [][]string{
		{"x", "x", "x"},
		{"x#3", "x", "x"},
		{"x", "x", "x#2"},
		{"", "", "#2", "#1"},
	} {
		calls := make([]llm.ToolCall, len(given))
		for i, id := range given {
			calls[i].ID = id
		}
		distinguish(calls)
		ids := map[string]bool{"": true}
		for _, c := range calls {
			if ids[c.ID] {
				t.Errorf("%q became %+v", given, calls)
			}
			ids[c.ID] = true
		}
		if calls[0].ID != given[0] && given[0] != "" {
			t.Errorf("the first of %q was renamed", given)
		}
	}
}

// TestModelSwitchDuringAReply checks that a setting which changes during a reply applies to the
// next request. It does not affect the calibration (D-09).
func TestModelSwitchDuringAReply(t *testing.T) {
	t.Parallel()
	var b *bench
	b = newBench(t, func(_ context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
		reported := 3 * (b.overhead() + size(b, req)) / 2
		b.set("model", "another")
		respond(llm.Usage{PromptTokens: reported}, llm.Text{Delta: "ok"})(nil, req, yield)
	})
	b.config.Counter = func(model string) history.Counter {
		if model == "another" {
			return letters{}
		}
		return wordCount{}
	}
	b.renew()
	if _, err := b.prompt(wordy(200)); err != nil {
		t.Fatal(err)
	}
	raw := b.config.History.RawHistory()
	if got := raw[1].Metadata[history.MetaModel]; got != "test-model" {
		t.Errorf("recorded as of %v", got)
	}
	if a, o := b.ratio("test-model"), b.ratio("another"); a < 1.49 || a > 1.51 || o != 1 {
		t.Errorf("the ratio is %v for the model that reported and %v for the other", a, o)
	}
}

// TestOutputComesBeforeTheEnd checks that the output of a call arrives before its end, in order.
func TestOutputComesBeforeTheEnd(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.config.Tools = tools.NewRegistry(tools.Tool{Name: "prints", Traits: tools.Traits{Reads: true}, Plan: applied(func(_ context.Context, env *tools.Env) tools.Answer {
		_, _ = env.Output.Write([]byte("one"))
		_, _ = env.Output.Write([]byte("two"))
		return tools.Answer{Text: "one two"}
	})})
	b.renew()
	const turns = 50
	b.model.next = func(n int) answerFunc {
		if n == turns {
			return say("ok")
		}
		return calls("prints", `{}`)
	}
	if _, err := b.prompt("go"); err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, e := range b.events {
		switch e := e.(type) {
		case ToolOutput:
			told = append(told, e.Data)
		case ToolEnded:
			told = append(told, "end ")
		}
	}
	if want := strings.Repeat("onetwoend ", turns); strings.Join(told, "") != want {
		t.Errorf("told %q", told)
	}
}

// TestOutputNeverBlocks checks that output does not block if no goroutine receives it. Only the end
// of a flood is kept, and it needs one slot in the queue of user actions.
func TestOutputNeverBlocks(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	out := &liveOutput{inbox: b.inbox, emit: b.emit, call: 1}
	for i := range 10_000 {
		line := fmt.Sprintf("line %d\n", i)
		if n, err := out.Write([]byte(line)); n != len(line) || err != nil {
			t.Fatal(n, err)
		}
	}
	b.Send("stop that")
	b.Interrupt()
	b.inbox.serve()
	shown := seen[ToolOutput](b)
	if len(shown) != 1 || len(shown[0].Data) > 2*maxPendingBytes || !strings.HasSuffix(shown[0].Data, "line 9998\nline 9999\n") || !slices.Equal(texts(b.waiting.queue), []string{"stop that"}) {
		t.Errorf("%d outputs, waiting %q", len(shown), b.waiting.queue)
	}
}

// TestOutputOfAFullInbox checks that output which finds a full inbox arrives with the next write.
// Later output is also shown once.
func TestOutputOfAFullInbox(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for range cap(b.inbox.acts) {
		b.inbox.acts <- func() {}
	}
	out := &liveOutput{inbox: b.inbox, emit: b.emit, call: 1}
	_, _ = out.Write([]byte("one "))
	b.inbox.serve()
	_, _ = out.Write([]byte("two"))
	b.inbox.serve()
	_, _ = out.Write([]byte("three"))
	b.inbox.serve()
	if shown := seen[ToolOutput](b); !slices.Equal(shown, []ToolOutput{{Call: 1, Data: "one two"}, {Call: 1, Data: "three"}}) {
		t.Errorf("shown %+v", shown)
	}
}

// TestRetriesAreVisible checks that each retry is reported with its reason, and that the calls and
// the usage of a discarded attempt do not count.
func TestRetriesAreVisible(t *testing.T) {
	t.Parallel()
	b := newBench(t, respond(
		llm.RetryNotice{Attempt: 1, Delay: 5, Reason: "the server is busy"},
		llm.Reasoning{Delta: "void"}, llm.Text{Delta: "void"}, llm.ToolCall{ID: "void", Name: "write_file", Arguments: `{}`},
		llm.RetryNotice{Attempt: 2, Delay: 7, Reason: "cut", Discard: true},
		llm.Text{Delta: "ok"}, llm.Usage{PromptTokens: 19}, llm.Finish{Reason: "stop"}))
	if out, err := b.prompt("go"); err != nil || out.ToolCalls != 0 || out.Response != "ok" {
		t.Fatalf("%+v %v", out, err)
	}
	want := []Retry{{Attempt: 1, Delay: 5, Reason: "the server is busy"}, {Attempt: 2, Delay: 7, Reason: "cut"}}
	if got := seen[Retry](b); !slices.Equal(got, want) || len(seen[ReplyDiscarded](b)) != 1 {
		t.Errorf("told %+v", got)
	}
	if last := b.config.History.RawHistory()[1]; len(last.Blocks) != 1 || last.Text() != "ok" || last.Metadata[history.MetaModel] != "test-model" {
		t.Errorf("stored %+v", last)
	}
	// The estimate covers the message of 5 tokens, the system prompt and the tools.
	b.record(history.HumanText(wordy(1000)))
	if got, want := b.ratio("test-model"), 19/float64(b.overhead()+5); math.Abs(got-want) > 0.001 {
		t.Errorf("the ratio is %v, want %v", got, want)
	}
}

// TestRepliesThatEndOddly checks the notices for replies with an unusual end.
func TestRepliesThatEndOddly(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		reply answerFunc
		want  string
	}{
		{"cut at the limit", respond(llm.Text{Delta: "a"}, llm.Finish{Reason: "length"}), "max-output-tokens"},
		{"filtered", respond(llm.Text{Delta: "a"}, llm.Finish{Reason: "content_filter"}), "content filter"},
		{"empty", respond(llm.Finish{Reason: "stop"}), "empty reply"},
		{"only thinking", respond(llm.Reasoning{Delta: "hm"}, llm.Finish{Reason: "stop"}), "empty reply"},
		{"cut within its thinking", respond(llm.Reasoning{Delta: "hm"}, llm.Finish{Reason: "length"}), "reached the output limit before the answer began"},
	} {
		turns := []answerFunc{tc.reply}
		if tc.want == "empty reply" {
			turns = append(turns, tc.reply) // an empty reply is requested once more
		}
		b := newBench(t, append(slices.Clone(turns), say("ok"))...)
		if out, err := b.prompt("go"); err != nil || out.Stop != StopDone {
			t.Fatalf("%s: %+v %v", tc.name, out, err)
		}
		if told := seen[Notice](b); len(told) != 1 || !strings.Contains(told[0].Text, tc.want) {
			t.Errorf("%s: told %v", tc.name, told)
		}
		if _, err := b.prompt("more"); err != nil {
			t.Errorf("%s: the next message: %v", tc.name, err)
		}
		// In a non-interactive run, an empty reply is a failure.
		b = newBench(t, turns...)
		b.config.Policy.Unattended = true
		b.renew()
		if out, err := b.prompt("go"); (err != nil) != (out.Response == "") || err != nil && (!strings.Contains(err.Error(), tc.want) || len(seen[Notice](b)) > 0) {
			t.Errorf("%s: %+v %v", tc.name, out, err)
		}
	}
}

// After an empty reply, the request is repeated once with an instruction that is not recorded. A
// later empty reply gets another attempt.
func TestEmptyReplyIsAskedForOnceMore(t *testing.T) {
	t.Parallel()
	nothing := respond(llm.Finish{Reason: "stop"})
	thinks := respond(llm.Reasoning{Delta: "hm"}, llm.Finish{Reason: "stop"})
	b := newBench(t, nothing, calls("read_file", `{"file_path":"a"}`), thinks, say("done"))
	b.config.Policy.Unattended = true
	b.renew()
	out, err := b.prompt("go")
	if err != nil || out.Response != "done" || out.Requests != 4 {
		t.Fatalf("%+v %v", out, err)
	}
	for i, asked := range []bool{false, true, false, true} {
		entries := b.model.requests[i].History
		if last := entries[len(entries)-1].Text(); (last == emptyReply) != asked || last == replyBrokeOff {
			t.Errorf("request %d ends with %q", i, last)
		}
	}
	if said := strings.Join(b.texts(history.Human), "|"); said != "go" {
		t.Errorf("the record holds %q", said)
	}
	b.valid()
}

// The third failure of the same call in the same way adds an instruction that breaks the
// repetition.
func TestThirdFailureAddsAnInstruction(t *testing.T) {
	t.Parallel()
	again := calls("unknown_tool", `{"a":1}`)
	b := newBench(t, again, again, calls("unknown_tool", `{"a":2}`), again, again, say("ok"))
	if _, err := b.prompt("go"); err != nil {
		t.Fatal(err)
	}
	for i, r := range b.responses() {
		if told := strings.Contains(r.Error, "failed three times in the same way"); told != (i == 3) {
			t.Errorf("answer %d: %s", i, r.Error)
		}
	}
}

// TestPanickingPlan checks that a panic in a plan ends only its call.
func TestPanickingPlan(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("edits", `{}`), say("ok"))
	b.config.Tools = tools.NewRegistry(tools.Tool{
		Name: "edits", Traits: tools.Traits{Edits: true},
		Plan: func(context.Context, *tools.Env, arguments.Arguments) (tools.Plan, error) { panic("boom") },
	})
	b.renew()
	if out, err := b.prompt("go"); err != nil || out.Stop != StopDone {
		t.Fatalf("%+v %v", out, err)
	}
	if r := b.responses(); len(r) != 1 || !strings.Contains(r[0].Error, "boom") {
		t.Errorf("responses %+v", r)
	}
}
