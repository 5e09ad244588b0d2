package chat

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"agent/internal/history"
	"agent/internal/llm"
)

// bytesOf returns a request as text, so that any changed byte is visible.
func bytesOf(t *testing.T, request llm.Request) string {
	t.Helper()
	data, err := json.Marshal(struct {
		System  string
		History []*history.Content
		Tools   []llm.ToolSpec
		Cache   llm.Cache
	}{request.System, request.History, request.Tools, request.Cache})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A side question uses the present context. The next request has the same bytes before and after
// it.
func TestAnAsideLeavesTheConversationAsItWas(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, b *bench) {
		b.Send("look at a")
		synctest.Wait()
		before, err := b.prepare()
		if err != nil {
			t.Fatal(err)
		}
		whole, spent := bytesOf(t, before), b.stats.PromptTokens
		answer, err := b.AskAside(t.Context(), "why a?")
		if err != nil || answer != "because" {
			t.Fatalf("%q, %v", answer, err)
		}
		synctest.Wait()
		asked := b.model.requests[2]
		last := asked.History[len(asked.History)-1]
		if last.Text() != asideWord+"why a?" || len(asked.History) != len(before.History) {
			t.Errorf("asked %q after %d entries of %d", last.Text(), len(asked.History)-1, len(before.History))
		}
		asked.History = asked.History[:len(asked.History)-1]
		before.History = before.History[:len(before.History)-1] // without the placeholder for the next message
		if bytesOf(t, asked) != bytesOf(t, before) {
			t.Errorf("the question is not asked over the present context:\n%s\n%s", bytesOf(t, asked), bytesOf(t, before))
		}
		after, err := b.prepare()
		if err != nil || bytesOf(t, after) != whole {
			t.Errorf("%v: the next request has changed:\n%s\n%s", err, bytesOf(t, after), whole)
		}
		if last, _ := b.LastReply(t.Context()); last != "seen" {
			t.Errorf("the last reply is %q", last)
		}
		if b.stats.PromptTokens != spent+70 {
			t.Errorf("%d tokens are counted, %d before", b.stats.PromptTokens, spent)
		}
		if told := seen[AsideChanged](b); len(told) != 2 || !told[0].Running || told[1].Running {
			t.Errorf("told %+v", told)
		}
	}, calls("read_file", `{"file_path":"a"}`), say("seen"), respond(llm.Reasoning{Delta: "hm"}, llm.Text{Delta: "because"}, llm.Usage{PromptTokens: 70, CompletionTokens: 2}, llm.Finish{Reason: "stop"}))
}

// During a call, a side question uses the answered part of the conversation. Its end does not
// affect the turn, and an interrupt ends both.
func TestAnAsideDuringATurn(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*bench){
		"the aside": func(b *bench) { b.EndAside() },
		"both":      func(b *bench) { b.Interrupt() },
	} {
		running(t, func(t *testing.T, b *bench) {
			b.Send("go")
			synctest.Wait()
			ended := make(chan error, 1)
			go func() {
				_, err := b.AskAside(t.Context(), "what now?")
				ended <- err
			}()
			synctest.Wait()
			if _, err := b.AskAside(t.Context(), "and?"); !errors.Is(err, errAsideRuns) {
				t.Errorf("%s: a second question: %v", name, err)
			}
			if asked := b.model.requests[1].History; len(asked) != 2 || asked[0].Text() != "go" {
				t.Errorf("%s: asked over %d entries", name, len(asked))
			}
			end(b)
			if err := <-ended; !errors.Is(err, ErrInterrupted) {
				t.Errorf("%s: %v", name, err)
			}
			synctest.Wait()
			if interrupted := len(stops(b)) > 0; interrupted != (name == "both") {
				t.Errorf("%s: turns ended %v", name, stops(b))
			}
			b.Interrupt()
			synctest.Wait()
		}, calls("waits", `{}`), hangingTurn)
	}
}

// A side question reports a reply without an answer, and marks a truncated answer.
func TestAnAsideWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	down := errors.New("the line is dead")
	for name, tc := range map[string]struct {
		reply answerFunc
		want  string
		err   error
	}{
		"calls":   {reply: calls("write_file", `{"file_path":"a"}`), err: errAsideCalls},
		"nothing": {reply: say(" "), err: errAsideCalls},
		"cut":     {reply: respond(llm.Text{Delta: "half of"}, llm.Finish{Reason: finishLength}), want: "half of\n\n(cut at the model's output limit)"},
		"failed":  {reply: fail(down, llm.Text{Delta: "half"}), err: down},
		"again":   {reply: respond(llm.Text{Delta: "lost"}, llm.RetryNotice{Attempt: 2, Discard: true}, llm.Text{Delta: "whole"}), want: "whole"},
	} {
		running(t, func(t *testing.T, b *bench) {
			answer, err := b.AskAside(t.Context(), "why?")
			if answer != tc.want || !errors.Is(err, tc.err) {
				t.Errorf("%s: %q, %v", name, answer, err)
			}
			if len(b.config.History.RawHistory()) != 0 {
				t.Errorf("%s: it is kept: %v", name, b.config.History.RawHistory())
			}
		}, tc.reply)
	}
}

// A side question is not answered after its context ends.
func TestAnAsideEndsWithItsContext(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, b *bench) {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			synctest.Wait()
			cancel()
		}()
		if _, err := b.AskAside(ctx, strings.Repeat("why? ", 3)); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}, hangingTurn)
}
