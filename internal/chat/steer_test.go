package chat

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"agent/internal/base/arguments"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/settings"
	"agent/internal/tools"
)

// running calls play with a chat that Run serves. synctest.Wait waits until the chat is idle or
// blocked by the test.
func running(t *testing.T, play func(t *testing.T, b *bench), turns ...answerFunc) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, turns...)
		b.run()
		play(t, b)
		b.stop()
		b.valid()
	})
}

// hangingTurn is a turn of a model that sends nothing until it is interrupted.
func hangingTurn(ctx context.Context, _ llm.Request, yield func(llm.Chunk, error) bool) {
	<-ctx.Done()
	yield(nil, ctx.Err())
}

func stops(b *bench) []Stop {
	var all []Stop
	for _, e := range seen[TurnEnded](b) {
		all = append(all, e.Outcome.Stop)
	}
	return all
}

// TestChangesWaitForTheTurn checks that Retry, Clear and Compress return an error and change
// nothing while a turn runs.
func TestChangesWaitForTheTurn(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, b *bench) {
		b.Send("go")
		synctest.Wait()
		_, compressErr := b.Compress(t.Context())
		for name, err := range map[string]error{"retry": b.Retry(t.Context()), "clear": b.Clear(t.Context()), "compress": compressErr} {
			if !errors.Is(err, ErrBusy) {
				t.Errorf("%s while working: %v", name, err)
			}
		}
		b.Interrupt()
		synctest.Wait()
		if got := b.texts(history.Human); !slices.Equal(got, []string{"go"}) || !slices.Equal(stops(b), []Stop{StopInterrupted}) {
			t.Errorf("history %q, turns ended %v", got, stops(b))
		}
		if err := b.Clear(t.Context()); err != nil || b.config.History.Len() != 0 {
			t.Errorf("clear when idle: %v", err)
		}
	}, hangingTurn)
}

func TestRetry(t *testing.T) {
	t.Parallel()
	same := calls("fails", `{"file_path":"a"}`)
	failure := fail(&llm.Error{Kind: llm.Unavailable, Message: "down"})
	running(t, func(t *testing.T, b *bench) {
		if err := b.Retry(t.Context()); err == nil || !strings.Contains(err.Error(), "nothing to send") {
			t.Errorf("retry of nothing: %v", err)
		}
		b.Send("go")
		synctest.Wait()
		if err := b.Retry(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if !slices.Equal(stops(b), []Stop{StopFailed, StopDone}) || !slices.Equal(b.texts(history.Human), []string{"go"}) {
			t.Errorf("turns ended %v, human entries %q", stops(b), b.texts(history.Human))
		}
		if err := b.Retry(t.Context()); err == nil || !strings.Contains(err.Error(), "has answered") {
			t.Errorf("retry of an answer: %v", err)
		}
	}, failure, say("ok"))

	// A retry restarts the count of repeated failures, and continues a truncated reply.
	running(t, func(t *testing.T, b *bench) {
		b.answering(Decision{})
		b.Send("go")
		synctest.Wait()
		if err := b.Retry(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := b.Retry(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if want := []Stop{StopRepeating, StopFailed, StopDone}; !slices.Equal(stops(b), want) {
			t.Errorf("turns ended %v, want %v", stops(b), want)
		}
		// Vendors refuse a conversation that ends with an assistant message.
		sent := b.model.requests[len(b.model.requests)-1].History
		if last := sent[len(sent)-1]; last.Speaker != history.Human || !strings.Contains(last.Text(), "continue") {
			t.Errorf("the model was asked with %q last", last.Text())
		}
	}, same, same, same, same, same, same, fail(errors.New("cut"), llm.Text{Delta: "half"}), say("ok"))
}

func TestClearBeginsAnew(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, b *bench) {
		var told []history.MutationKind
		b.keep(history.NewService(wordCount{}, func(m history.Mutation) error { told = append(told, m.Kind); return nil }))
		b.config.Env.Seen = tools.NewSeenFiles()
		b.renew()
		b.config.Env.Seen.Record("/w/a", []byte("written"))
		b.pair("r", "read_file", "a", wordy(50))
		b.pair("w", "write_file", "a", "written")
		b.Send("go")
		synctest.Wait()
		if ledger, err := b.Views.Ledger(t.Context()); err != nil || len(ledger) != 1 {
			t.Fatalf("ledger %v, %v", ledger, err)
		}
		if err := b.Clear(t.Context()); err != nil {
			t.Fatal(err)
		}
		usage, err := b.Views.ContextUsage(t.Context())
		if err != nil || usage.Total() != b.window.Measure.Tokens() || b.config.History.Len() != 0 || usage.Prompt != 0 || usage.Cached != 0 || usage.Freed != 0 {
			t.Errorf("usage %+v, %v", usage, err)
		}
		if b.config.Env.Seen.IsKnown("/w/a") {
			t.Error("a file may be overwritten that the model knows nothing of")
		}
		ledger, _ := b.Views.Ledger(t.Context())
		reply, _ := b.LastReply(t.Context())
		if len(ledger) != 0 || reply != "" || told[len(told)-1] != history.MutationCleared {
			t.Errorf("ledger %v, reply %q, recorded %v", ledger, reply, told)
		}
		if status := seen[StatusChanged](b); status[len(status)-1].Status.Tokens != b.window.Measure.Tokens() {
			t.Errorf("the status still says %+v", status[len(status)-1])
		}
	}, respond(llm.Text{Delta: "ok"}, llm.Usage{PromptTokens: 90, CachedTokens: 50}, llm.Finish{Reason: "stop"}))
}

func TestCompressByHand(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, b *bench) {
		if told, err := b.Compress(t.Context()); err != nil || told.Applied || told.Reason == "" {
			t.Errorf("of nothing: %+v, %v", told, err)
		}
		for i := range 10 {
			b.pair(string(rune('a'+i)), "read_file", "f", wordy(300))
		}
		before := b.window.Measure.Tokens()
		told, err := b.Compress(t.Context())
		if err != nil || !told.Applied || told.TokensBefore != before || told.TokensAfter != b.window.Measure.Tokens() || told.TokensAfter >= before {
			t.Errorf("%+v, %v; %d tokens before, %d after", told, err, before, b.window.Measure.Tokens())
		}
		stats, err := b.Stats(t.Context())
		if err != nil || stats.Compressions != 1 {
			t.Errorf("%+v %v", stats, err)
		}
	})
}

// shellTool is the shell of a test.
func shellTool(run func(ctx context.Context, env *tools.Env) tools.Answer) tools.Tool {
	return tools.Tool{
		Name: tools.ShellToolName, Traits: tools.Traits{Runs: true, Key: "command"},
		Plan: func(ctx context.Context, env *tools.Env, args arguments.Arguments) (tools.Plan, error) {
			var a struct{ Command string }
			if json.Unmarshal(args.Raw(), &a) != nil || a.Command == "" {
				return tools.Plan{}, errors.New("no command")
			}
			return applied(run)(ctx, env, args)
		},
	}
}

// TestShell checks that a command of the user is shown and that the model reads it.
func TestShell(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, b *bench) {
		b.config.Tools = tools.NewRegistry(shellTool(func(_ context.Context, env *tools.Env) tools.Answer {
			_, _ = env.Output.Write([]byte("3 files"))
			return tools.Answer{Text: "3 files\n", Error: "exit status 1"}
		}))
		b.renew()
		b.Shell("ls\npwd", false)
		synctest.Wait()
		want := "I ran this command myself:\n\n```\n$ ls\npwd\n3 files\nexit status 1\n```\n"
		if got := b.texts(history.Human); !slices.Equal(got, []string{want}) {
			t.Errorf("the model reads %q", got)
		}
		ended := seen[ToolEnded](b)
		if len(ended) != 1 || ended[0].Label.Title() != "! ls …" || ended[0].Answer.Text != "3 files\n" || len(seen[ToolOutput](b)) != 1 {
			t.Errorf("shown %+v", ended)
		}
		b.Send("what was it?")
		synctest.Wait()
		if sent := b.model.requests[0].History; len(sent) != 2 || sent[0].Text() != want {
			t.Errorf("sent %d entries", len(sent))
		}
	}, say("three files"))
}

// TestShellIsPrivate checks that a hidden command is shown but never sent to the model.
func TestShellIsPrivate(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, b *bench) {
		b.config.Tools = tools.NewRegistry(shellTool(func(context.Context, *tools.Env) tools.Answer { return tools.Answer{Text: "my secret"} }))
		b.renew()
		b.Shell("cat notes", true)
		synctest.Wait()
		if ended := seen[ToolEnded](b); len(ended) != 1 || !ended[0].Typed || ended[0].Answer.Text != "my secret" {
			t.Errorf("shown %+v", ended)
		}
		b.Send("hello")
		synctest.Wait()
		if sent := b.model.requests[0].History; len(sent) != 1 || sent[0].Text() != "hello" {
			t.Errorf("sent %d entries", len(sent))
		}
	}, say("hi"))
}

func TestShellIsInterrupted(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, b *bench) {
		b.config.Tools = tools.NewRegistry(shellTool(func(ctx context.Context, _ *tools.Env) tools.Answer {
			<-ctx.Done()
			return tools.Answer{Text: "so far"}
		}))
		b.renew()
		b.Shell("sleep 1000", false)
		synctest.Wait()
		b.Interrupt()
		synctest.Wait()
		if !slices.Equal(stops(b), []Stop{StopInterrupted}) || !strings.Contains(b.texts(history.Human)[0], "so far") {
			t.Errorf("turns ended %v, history %q", stops(b), b.texts(history.Human))
		}
		b.Send("go on")
		synctest.Wait()
		if !slices.Equal(stops(b), []Stop{StopInterrupted, StopDone}) {
			t.Errorf("turns ended %v", stops(b))
		}
	}, say("ok"))
}

// TestShellWaitsForTheTurn checks that a command of the user runs after the turn, before queued
// messages.
func TestShellWaitsForTheTurn(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, b *bench) {
		b.config.Tools = tools.NewRegistry(shellTool(func(context.Context, *tools.Env) tools.Answer { return tools.Answer{Text: "/w"} }))
		b.renew()
		b.Send("go")
		synctest.Wait()
		b.Shell("pwd", false)
		b.Send("and then?")
		synctest.Wait()
		if told := seen[Notice](b); len(told) != 1 || !strings.Contains(told[0].Text, "!pwd") {
			t.Errorf("told %v", told)
		}
		b.Interrupt()
		synctest.Wait()
		human := b.texts(history.Human)
		if len(human) != 3 || human[0] != "go" || !strings.Contains(human[1], "$ pwd") || human[2] != "and then?" {
			t.Errorf("human entries %q", human)
		}
	}, hangingTurn, say("ok"))
}

// TestShellThatNeverRan checks that a command which did not run leaves no report.
func TestShellThatNeverRan(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.config.Tools = tools.NewRegistry(shellTool(func(context.Context, *tools.Env) tools.Answer { return tools.Answer{Text: "ran"} }))
	b.renew()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if out, err := b.shell(ctx, "pwd", false); err != nil || out.Stop != StopInterrupted || b.config.History.Len() != 0 {
		t.Errorf("%+v %v, history %q", out, err, b.texts(history.Human))
	}
}

// TestQueueIsShown checks that queued messages are shown, even after an interrupted turn. Unqueue of
// an empty queue reports that it is empty.
func TestQueueIsShown(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, b *bench) {
		if text, ok := b.Unqueue(t.Context()); ok {
			t.Errorf("took %q out of an empty queue", text)
		}
		b.Send("first")
		synctest.Wait()
		b.Send("second")
		b.Send("third")
		synctest.Wait()
		b.Interrupt()
		synctest.Wait()
		b.Interrupt()
		synctest.Wait()
		var told []string
		for _, e := range b.events {
			switch e := e.(type) {
			case TurnStarted:
				told = append(told, "start")
			case TurnEnded:
				told = append(told, "end")
			case QueueChanged:
				told = append(told, strings.Join(e.Messages, "+"))
			}
		}
		want := []string{"start", "second", "second+third", "end", "start", "third", "", "end"}
		if !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
	}, hangingTurn, hangingTurn, say("never"))
}

func TestInterruptWithoutATurn(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, b *bench) {
		b.Interrupt()
		b.Send("go")
		synctest.Wait()
		if !slices.Equal(stops(b), []Stop{StopDone}) {
			t.Errorf("turns ended %v", stops(b))
		}
	}, say("ok"))
}

// TestRunEndsWithItsContext checks that the end of the context interrupts the turn, and that later
// calls fail at once.
func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, calls("waits", `{}`))
		ctx, stop := context.WithCancel(t.Context())
		go b.Run(ctx)
		b.Send("go")
		synctest.Wait()
		stop()
		synctest.Wait()
		b.inbox.end()
		if !slices.Equal(stops(b), []Stop{StopInterrupted}) || len(b.responses()) != 1 {
			t.Errorf("turns ended %v", stops(b))
		}
		if _, err := b.Stats(t.Context()); !errors.Is(err, errOver) {
			t.Errorf("asked a chat that is gone: %v", err)
		}
		if err := b.Clear(t.Context()); !errors.Is(err, errOver) {
			t.Errorf("cleared a chat that is gone: %v", err)
		}
		b.valid()
	})
}

// TestCycleMode checks that the next mode takes effect and is reported, even while a turn runs.
func TestCycleMode(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, b *bench) {
		b.Send("go")
		synctest.Wait()
		for range gate.Modes() {
			want := nextMode(b.Consent().Mode())
			b.CycleMode()
			synctest.Wait()
			told := seen[StatusChanged](b)
			if b.Consent().Mode() != want || told[len(told)-1].Status.Mode != want {
				t.Errorf("mode %s, told %s, want %s", b.Consent().Mode(), told[len(told)-1].Status.Mode, want)
			}
		}
	}, hangingTurn)
}

// Refresh reports outside changes. It never blocks, even if no goroutine runs the chat.
func TestRefresh(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, b *bench) {
		if err := b.config.Settings.Set(settings.LayerSession, "model", "another"); err != nil {
			t.Fatal(err)
		}
		b.Refresh()
		synctest.Wait()
		told := seen[StatusChanged](b)
		if got := told[len(told)-1].Status.Model; got != "another" {
			t.Errorf("the status says %q", got)
		}
	})
	idle := newBench(t)
	for range 1000 {
		idle.Refresh()
	}
}
