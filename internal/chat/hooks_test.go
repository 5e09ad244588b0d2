package chat

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agent/internal/base/arguments"
	"agent/internal/extend/setup/hooks"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/tools"
)

// addHooks adds hooks to a chat. They return the result of answer.
func addHooks(b *bench, answer func(HookPoint) HookResult) (heard *[]string) {
	heard = new([]string)
	b.config.Hooks = func(_ context.Context, m HookPoint) HookResult {
		*heard = append(*heard, strings.TrimSpace(string(m.Event)+" "+m.About))
		return answer(m)
	}
	b.Chat = New(b.config)
	return heard
}

func forTheModel(text string) HookResult {
	return HookResult{Blocks: []history.Block{&history.Text{Text: text, Source: history.SourceExtension}}}
}

// The events of a conversation reach its hooks in order. Text from hooks becomes entries at the
// end, and never changes the system prompt. Each request begins like the one before (setup.md 6).
func TestHooksEventsAndThePrefix(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("read_file", `{"file_path":"a"}`), say("one"), say("two"), say("three"))
	heard := addHooks(b, func(m HookPoint) HookResult {
		if m.Event == hooks.Stop && m.Refused == 0 && m.Text == "one" {
			h := forTheModel("check again")
			h.Refused = "check again"
			return h
		}
		return forTheModel("from " + string(m.Event))
	})
	for _, text := range []string{"go", "go on"} {
		if _, err := b.prompt(text); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"SessionStart startup", "UserPromptSubmit", "Stop", "Stop", "UserPromptSubmit", "Stop"}; !slices.Equal(*heard, want) {
		t.Errorf("heard %q, want %q", *heard, want)
	}
	requests := b.model.requests
	if got := b.config.History.RawHistory(); got[0].Text() != "from SessionStart" || !strings.HasPrefix(got[1].Text(), "go") || !strings.Contains(got[1].Text(), "from UserPromptSubmit") {
		t.Errorf("the entries begin with %q, %q", got[0].Text(), got[1].Text())
	}
	for n := 1; n < len(requests); n++ {
		before, now := requests[n-1], requests[n]
		if now.System != before.System || !reflect.DeepEqual(now.Tools, before.Tools) || len(now.History) <= len(before.History) || !reflect.DeepEqual(now.History[:len(before.History)], before.History) {
			t.Errorf("request %d does not begin as the one before", n)
		}
	}
	if strings.Contains(requests[0].System, "from SessionStart") {
		t.Error("the head holds what a hook says")
	}
}

// A message that a hook blocks is not sent. The user sees the reason, and gets the message back
// (setup.md 6).
func TestHooksBlockAMessage(t *testing.T) {
	t.Parallel()
	for _, refusal := range []HookResult{{Refused: "no", By: "hook h"}, {Ends: "no", By: "hook h"}} {
		b := newBench(t)
		addHooks(b, func(m HookPoint) HookResult {
			if m.Event == hooks.UserPromptSubmit {
				return refusal
			}
			return HookResult{}
		})
		out, err := b.prompt("secret")
		var stopped *gate.StoppedError
		if !errors.As(err, &stopped) || out.Stop != StopHook || err.Error() != "Message not sent: stopped by hook h: no" {
			t.Errorf("%+v, %v", out, err)
		}
		if back := seen[MessageReturned](b); len(back) != 1 || back[0].Message.Text() != "secret" || len(b.config.History.RawHistory()) > 0 || len(b.model.requests) > 0 {
			t.Errorf("came back %+v, history %v", back, b.config.History.RawHistory())
		}
	}
}

// Stop hooks can continue a turn at most eight times in a row. A flag in their input reports a
// continued turn (setup.md 6).
func TestHooksStopInARow(t *testing.T) {
	t.Parallel()
	var turns []answerFunc
	for range 2 * (maxStops + 1) {
		turns = append(turns, say("done"))
	}
	b := newBench(t, turns...)
	var again []bool
	addHooks(b, func(m HookPoint) HookResult {
		if m.Event != hooks.Stop {
			return HookResult{}
		}
		again = append(again, m.Refused > 0)
		h := forTheModel("go on")
		h.Refused = "go on"
		return h
	})
	for n := 1; n <= 2; n++ {
		out, err := b.prompt("go")
		if err != nil || out.Stop != StopDone || len(b.model.requests) != n*(maxStops+1) {
			t.Fatalf("%+v, %v, %d requests", out, err, len(b.model.requests))
		}
		if len(again) != n*maxStops || again[(n-1)*maxStops] || !again[len(again)-1] {
			t.Errorf("asked %v", again)
		}
	}
	notices := seen[Notice](b)
	if last := notices[len(notices)-1].Text; !strings.Contains(last, "8 times in a row") {
		t.Errorf("told %q", last)
	}
}

// Esc ends a waiting hook of any event, and the history stays valid. The user gets an unsent
// message back (setup.md 6).
func TestHooksEsc(t *testing.T) {
	t.Parallel()
	for _, event := range []hooks.Event{hooks.SessionStart, hooks.UserPromptSubmit, hooks.Stop, hooks.PreCompact} {
		b, late := newBench(t, say("ok")), make(chan struct{})
		b.config.Hooks = func(_ context.Context, m HookPoint) HookResult {
			if m.Event == event {
				b.Interrupt()
				<-late // it ignores its context
			}
			return HookResult{}
		}
		b.Chat = New(b.config)
		if event == hooks.PreCompact {
			b.set("context-limit", "2000")
			b.pair("a", "read_file", "a", wordy(900))
			b.pair("b", "read_file", "b", wordy(900))
		}
		out, err := b.prompt("go")
		close(late)
		if err != nil || out.Stop != StopInterrupted {
			t.Errorf("%s: %+v, %v", event, out, err)
		}
		if back := len(seen[MessageReturned](b)); (event == hooks.SessionStart || event == hooks.UserPromptSubmit) != (back == 1) {
			t.Errorf("%s: %d messages came back", event, back)
		}
	}
}

// A PreCompact hook can prevent a compression, except at the hard limit. After a compression, hooks
// receive its end and a new start of the conversation (setup.md 6).
func TestHooksCompact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		words   int
		refuses bool
		want    []string
	}{
		{"refused", 700, true, []string{"PreCompact auto"}},
		{"not refused", 700, false, []string{"PreCompact auto", "PostCompact auto", "SessionStart compact"}},
		{"refused at the hard limit", 950, true, []string{"PreCompact auto", "PostCompact auto", "SessionStart compact"}},
	} {
		b := newBench(t, say("ok"))
		b.set("compression.strategy", "top-down-truncation")
		b.set("context-limit", "2000")
		b.set("compression.threshold", "0.5")
		b.set("max-output-tokens", "100")
		heard := addHooks(b, func(m HookPoint) HookResult {
			if m.Event == hooks.PreCompact && c.refuses {
				return HookResult{Refused: "not now", By: "hook h"}
			}
			return HookResult{}
		})
		b.moments.begun = ""
		for _, id := range []string{"a", "b"} {
			b.pair(id, "read_file", id, wordy(c.words))
		}
		if out, err := b.prompt("go"); err != nil || out.Stop != StopDone {
			t.Errorf("%s: %+v, %v", c.name, out, err)
		}
		*heard = slices.DeleteFunc(*heard, func(m string) bool { return m == "UserPromptSubmit" || m == "Stop" })
		if !slices.Equal(*heard, c.want) {
			t.Errorf("%s: heard %q, want %q; %+v", c.name, *heard, c.want, seen[Compressed](b))
		}
	}
}

// A conversation starts again after /clear (setup.md 6).
func TestHooksAfterClear(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, say("ok"), say("ok"))
		heard := addHooks(b, func(HookPoint) HookResult { return HookResult{} })
		ctx, cancel := context.WithCancel(t.Context())
		go b.Run(ctx)
		b.Send("go")
		synctest.Wait()
		if err := b.Clear(t.Context()); err != nil {
			t.Error(err)
		}
		b.Send("go")
		synctest.Wait()
		cancel()
		synctest.Wait()
		if want := []string{"SessionStart startup", "UserPromptSubmit", "Stop", "SessionEnd clear", "SessionStart clear", "UserPromptSubmit", "Stop"}; !slices.Equal(*heard, want) {
			t.Errorf("heard %q", *heard)
		}
	})
}

// A hook that allows a call skips only the approval prompt. A hook that receives the answer can
// change it, or end the turn (setup.md 6).
func TestHooksAllowCallsAndChangeAnswers(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("does", `{"a":1}`, "does", `{"a":2}`))
	addGates(b, gate.Gate{
		Name: "h", Stage: gate.StageHook,
		Check: func(context.Context, gate.Call) gate.Verdict { return gate.Verdict{Spares: true} },
		After: func(_ context.Context, k gate.Call, answer tools.Answer, _ time.Duration) (tools.Answer, error) {
			answer.Text = "seen"
			return answer, &gate.StoppedError{By: "hook h", Why: "enough"}
		},
	})
	b.set("approval-mode", "ask")
	out, err := b.prompt("go")
	if out.Stop != StopHook || err == nil || err.Error() != "stopped by hook h: enough" || len(seen[ApprovalRequested](b)) > 0 {
		t.Errorf("%+v, %v", out, err)
	}
	if all := b.responses(); len(all) != 2 || all[0].Result.Text() != "seen" || all[1].Error != gate.NotRun {
		t.Errorf("%+v", all)
	}
}

// A PermissionRequest hook can answer the prompt, or leave it to the user (setup.md 6).
func TestHooksAnswerForTheUser(t *testing.T) {
	t.Parallel()
	for want, verdict := range map[string]gate.Verdict{
		`did {"a":1}`: {}, `did {"a":1} `: {Spares: true}, "denied": {Refusal: "denied"}, `did {"a":2}`: {Arguments: arguments.Parse(`{"a":2}`)},
	} {
		b := newBench(t, calls("does", `{"a":1}`), say("ok"))
		addGates(b, gate.Gate{
			Stage: gate.StageHook, Check: func(context.Context, gate.Call) gate.Verdict { return gate.Verdict{} },
			Asked: func(_ context.Context, k gate.Call) gate.Verdict {
				if k.Arguments.String() != `{"a":1}` {
					return gate.Verdict{}
				}
				return verdict
			},
		})
		b.set("approval-mode", "ask")
		b.answering(Decision{Allow: true})
		if _, err := b.prompt("go"); err != nil {
			t.Fatal(err)
		}
		answer := b.responses()[0]
		person := len(seen[ApprovalRequested](b))
		if got := answer.Result.Text() + answer.Error; !strings.HasPrefix(got, strings.TrimSpace(want)) || (person == 0) != (verdict.Spares || verdict.Refusal != "") {
			t.Errorf("%q: got %q, a person was asked %d times", want, got, person)
		}
	}
}

// Text from hooks to the user is limited in length, in the record too.
func TestHooksNoticesAreLimited(t *testing.T) {
	t.Parallel()
	b := newBench(t, say("done"))
	addHooks(b, func(HookPoint) HookResult {
		return HookResult{Notices: []string{"hook h: x" + strings.Repeat("\n", 500) + "y"}}
	})
	if _, err := b.prompt("go"); err != nil {
		t.Fatal(err)
	}
	notices := seen[Notice](b)
	if len(notices) == 0 {
		t.Fatal("no notice")
	}
	for _, n := range notices {
		if n.Text != "hook h: x\ny" {
			t.Errorf("%q", n.Text)
		}
	}
}
