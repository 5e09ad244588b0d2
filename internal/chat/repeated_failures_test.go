package chat

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/tools"
)

// repeats is the number of times that a call may fail in the same way (D-70).
const repeats = 5

// repeatFailingCall is a model that repeats the same failing call until it receives a message.
func repeatFailingCall(int) answerFunc { return calls("fails", `{"file_path":"same"}`) }

// TestRepeatedFailuresOpenAPrompt checks the prompt after repeated failures. The user can continue, stop, or
// write another instruction (D-70).
func TestRepeatedFailuresOpenAPrompt(t *testing.T) {
	t.Parallel()
	t.Run("stop", func(t *testing.T) {
		t.Parallel()
		b := newBench(t)
		b.model.next = repeatFailingCall
		b.answering(Decision{})
		out, err := b.prompt("go")
		if asked := seen[ApprovalRequested](b); err != nil || out.Stop != StopRepeating || out.Requests != repeats+1 ||
			len(asked) != 1 || !strings.Contains(asked[0].Approval.Repeats, "fails same") {
			t.Errorf("%+v %v, asked %+v", out, err, asked)
		}
	})
	t.Run("go on", func(t *testing.T) {
		t.Parallel()
		b := newBench(t)
		b.model.next = func(n int) answerFunc {
			if n == 2*repeats+1 {
				return say("found it")
			}
			return repeatFailingCall(n)
		}
		b.answering(Decision{Allow: true})
		out, err := b.prompt("go")
		if asked := seen[ApprovalRequested](b); err != nil || out.Stop != StopDone || len(asked) != 2 {
			t.Errorf("%+v %v, asked %d times", out, err, len(asked))
		}
	})
	t.Run("instead", func(t *testing.T) {
		t.Parallel()
		b := newBench(t)
		b.model.next = func(n int) answerFunc {
			switch {
			case n < repeats-1:
				return repeatFailingCall(n)
			case n == repeats-1:
				return calls("fails", `{"file_path":"same"}`, "write_file", `{"file_path":"b"}`)
			default:
				return say("so be it")
			}
		}
		b.answering(Decision{Reason: "look into b"})
		out, err := b.prompt("go")
		if err != nil || out.Response != "so be it" || !slices.Equal(b.texts(history.Human), []string{"go", "look into b"}) {
			t.Errorf("%+v %v, said %q", out, err, b.texts(history.Human))
		}
		if last := b.responses()[repeats]; last.Error != gate.NotRun {
			t.Errorf("the call after it is answered %q", last.Error)
		}
	})
	t.Run("nobody is there", func(t *testing.T) {
		t.Parallel()
		b := newBench(t)
		b.config.Policy.Unattended = true
		b.renew()
		b.model.next = repeatFailingCall
		out, err := b.prompt("go")
		if err == nil || !strings.Contains(err.Error(), "5 times within 5 calls: fails same") || out.Requests != repeats+1 {
			t.Errorf("%+v %v", out, err)
		}
	})
}

// TestRepeatedFailuresCanBeInterrupted checks that Esc ends the turn at the open prompt. A change of the
// mode does not answer the prompt.
func TestRepeatedFailuresCanBeInterrupted(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, b *bench) {
		b.on = func(Event) {}
		b.Send("go")
		synctest.Wait()
		b.set("approval-mode", string(gate.ModeFullAuto))
		b.Refresh()
		synctest.Wait()
		if len(stops(b)) != 0 || len(seen[ApprovalSettled](b)) != 0 {
			t.Errorf("turns ended %v, settled %v", stops(b), seen[ApprovalSettled](b))
		}
		b.Interrupt()
		synctest.Wait()
		if !slices.Equal(stops(b), []Stop{StopInterrupted}) {
			t.Errorf("turns ended %v", stops(b))
		}
	}, repeatFailingCall(0), repeatFailingCall(0), repeatFailingCall(0), repeatFailingCall(0), repeatFailingCall(0), repeatFailingCall(0))
}

// TestRepeatedFailuresCountForOneTurn checks that failures are counted separately in each turn.
func TestRepeatedFailuresCountForOneTurn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.config.Tools = tools.NewRegistry(fakeTool("fails", func(context.Context, *tools.Env) tools.Answer { return tools.Answer{Error: "no"} }))
	b.renew()
	b.model.next = func(n int) answerFunc {
		if n%repeats == repeats-1 {
			return say("it fails")
		}
		return repeatFailingCall(n)
	}
	for range 3 {
		if out, err := b.prompt("try"); err != nil || out.Stop != StopDone {
			t.Fatalf("%+v %v", out, err)
		}
	}
}
