package chat

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"agent/internal/base/arguments"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/tools"
)

// addGates adds gates to the calls of the tool "does". The tool answers with its arguments.
func addGates(b *bench, gates ...gate.Gate) {
	b.config.Tools = tools.NewRegistry(tools.Tool{Name: "does", Plan: func(_ context.Context, _ *tools.Env, given arguments.Arguments) (tools.Plan, error) {
		return tools.Plan{Apply: func(context.Context) tools.Answer { return tools.Answer{Text: "did " + given.String()} }}, nil
	}})
	b.config.Gates = gates
	b.Chat = New(b.config)
}

// The gates of a call run in the order of their stages. The first refusal ends the check.
func TestGatesAreAskedInOrder(t *testing.T) {
	t.Parallel()
	for _, refuses := range []string{"", "rule", "hook 1", "hook 2"} {
		b := newBench(t, calls("does", `{"a":1}`), say("ok"))
		var order []string
		at := func(name string, stage gate.Stage) gate.Gate {
			return gate.Gate{Name: name, Stage: stage, Check: func(_ context.Context, k gate.Call) gate.Verdict {
				if order = append(order, name); name == refuses {
					return gate.Verdict{Refusal: "no, says " + name, Notice: k.Name + " was refused by " + name}
				}
				return gate.Verdict{}
			}}
		}
		addGates(b, at("hook 1", gate.StageHook), at("hook 2", gate.StageHook), at("rule", gate.StageDeny))
		b.set("approval-mode", "ask")
		b.on = func(e Event) {
			if asked, ok := e.(ApprovalRequested); ok {
				order = append(order, "person")
				b.Answer(asked.Approval.ID, Decision{Allow: true})
			}
		}
		if _, err := b.prompt("go"); err != nil {
			t.Fatal(err)
		}
		want := []string{"rule", "hook 1", "hook 2", "person"}
		if i := slices.Index(want, refuses); i >= 0 {
			want = want[:i+1]
		}
		answer := b.responses()[0]
		if !slices.Equal(order, want) || refuses == "" && answer.Error != "" || refuses != "" && answer.Error != "no, says "+refuses || len(seen[Notice](b)) > 0 != (refuses != "") {
			t.Errorf("%q refuses: asked %q, answer %+v, notices %v", refuses, order, answer, seen[Notice](b))
		}
	}
}

// If a gate replaces the arguments, the call is planned again and passes every gate again. The user
// approves the arguments that run, and the model learns of the change.
func TestAGateReplacesArguments(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("does", `{"a":1}`), say("ok"))
	var seenBy []string
	addGates(b, gate.Gate{Stage: gate.StageDeny, Check: func(_ context.Context, k gate.Call) gate.Verdict {
		seenBy = append(seenBy, k.Arguments.String())
		return gate.Verdict{}
	}}, gate.Gate{Stage: gate.StageHook, Check: func(_ context.Context, k gate.Call) gate.Verdict {
		if k.Arguments.String() == `{"a":1}` {
			return gate.Verdict{Arguments: arguments.Parse(`{"a":2}`)}
		}
		return gate.Verdict{}
	}})
	b.set("approval-mode", "ask")
	b.answering(Decision{Allow: true})
	if _, err := b.prompt("go"); err != nil {
		t.Fatal(err)
	}
	asked, text := seen[ApprovalRequested](b), b.responses()[0].Result.Text()
	if !slices.Equal(seenBy, []string{`{"a":1}`, `{"a":2}`}) || len(asked) != 1 || string(asked[0].Approval.Preview.Arguments) != `{"a":2}` ||
		!strings.HasPrefix(text, `did {"a":2}`) || !strings.Contains(text, `other arguments: {"a":2}`) {
		t.Errorf("seen %q, asked %+v, answer %q", seenBy, asked, text)
	}
}

// If gates disagree, or one panics, only the call is refused.
func TestGatesThatFail(t *testing.T) {
	t.Parallel()
	for want, check := range map[string]func(context.Context, gate.Call) gate.Verdict{
		"replaced its arguments": func(_ context.Context, k gate.Call) gate.Verdict { return gate.Verdict{Arguments: k.Arguments} },
		"internal error":         func(context.Context, gate.Call) gate.Verdict { panic("boom") },
		"with invalid JSON":      func(context.Context, gate.Call) gate.Verdict { return gate.Verdict{Arguments: arguments.Parse("[")} },
	} {
		b := newBench(t, calls("does", `{}`), say("ok"))
		addGates(b, gate.Gate{Name: "g", Stage: gate.StageHook, Check: check})
		if out, err := b.prompt("go"); err != nil || out.Stop != StopDone || !strings.Contains(b.responses()[0].Error, want) {
			t.Errorf("%s: %+v, %v, %+v", want, out, err, b.responses()[0])
		}
	}
}

// A gate that waits does not block the loop. A prompt can be answered, and Esc ends the turn even
// if the gate ignores it.
func TestAGateThatWaits(t *testing.T) {
	t.Parallel()
	for _, obeys := range []bool{true, false} {
		running(t, func(t *testing.T, b *bench) {
			release := make(chan struct{})
			defer close(release)
			b.runner.gates = []gate.Gate{{Name: "slow", Check: func(ctx context.Context, _ gate.Call) gate.Verdict {
				if obeys {
					<-ctx.Done()
				} else {
					<-release
				}
				return gate.Verdict{}
			}}}
			b.Send("go")
			synctest.Wait()
			if _, waits := b.Unqueue(t.Context()); waits {
				t.Error("a message waits that was never sent")
			}
			b.Interrupt()
			synctest.Wait()
			if !slices.Equal(stops(b), []Stop{StopInterrupted}) || b.responses()[0].Error != gate.NotRun {
				t.Errorf("obeys %t: turns ended %v, answers %+v", obeys, stops(b), b.responses())
			}
		}, calls("write_file", `{"file_path":"a"}`))
	}
}

// An image in a tool's answer is stored in the history after the text of the answer.
func TestAnAnswerCarriesImages(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("draws", `{}`), say("I see"))
	b.config.Tools = tools.NewRegistry(fakeTool("draws", func(context.Context, *tools.Env) tools.Answer {
		return tools.Answer{Text: "a square", Images: []tools.Image{{MimeType: "image/png", Data: []byte("png"), Width: 2, Height: 2}}}
	}))
	b.renew()
	if _, err := b.prompt("go"); err != nil {
		t.Fatal(err)
	}
	sent := b.model.requests[1].History
	blocks := sent[len(sent)-1].Blocks
	if media, ok := blocks[len(blocks)-1].(*history.Media); len(blocks) != 2 || !ok || media.Data != "cG5n" || media.Width != 2 {
		t.Errorf("sent %+v", blocks)
	}
}

// TestAnAllowedCallHasItsArguments checks that a gate which skips the approval of a call does so only
// for its original arguments. Arguments from another gate still need approval.
func TestAnAllowedCallHasItsArguments(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("does", `{"a":1}`), say("ok"))
	addGates(b, gate.Gate{Name: "spares", Stage: gate.StageHook, Check: func(_ context.Context, k gate.Call) gate.Verdict {
		return gate.Verdict{Spares: k.Arguments.String() == `{"a":1}`}
	}}, gate.Gate{Name: "replaces", Stage: gate.StageHook, Check: func(_ context.Context, k gate.Call) gate.Verdict {
		if k.Arguments.String() == `{"a":1}` {
			return gate.Verdict{Arguments: arguments.Parse(`{"a":2}`)}
		}
		return gate.Verdict{}
	}})
	b.set("approval-mode", "ask")
	b.answering(Decision{})
	if _, err := b.prompt("go"); err != nil {
		t.Fatal(err)
	}
	if asked := seen[ApprovalRequested](b); len(asked) != 1 || b.responses()[0].Error == "" {
		t.Errorf("asked %d times, answered %+v", len(asked), b.responses()[0])
	}
}
