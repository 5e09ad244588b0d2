package chat

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"agent/internal/atcmd"
	"agent/internal/compression"
	"agent/internal/history"
)

// TestD30WhatCannotFit checks that a request that cannot fit is not sent. The message is kept, and
// following the advice helps.
func TestD30WhatCannotFit(t *testing.T) {
	t.Parallel()
	b := newBench(t, say("ok"))
	b.config.System = func(bool, []string, func(string) bool) (string, bool) { return wordy(1000), false }
	b.renew()
	b.set("context-limit", "1500")
	var overflow *compression.ContextOverflowError
	if out, err := b.prompt(wordy(500)); !errors.As(err, &overflow) || out.Stop != StopFailed || len(b.model.requests) != 0 {
		t.Fatalf("%+v %v", out, err)
	}
	if said := b.texts(history.Human); len(said) != 1 || said[0] != wordy(500) {
		t.Errorf("the message is not kept: %.40q", said)
	}
	b.set("context-limit", "9000")
	if _, err := b.Resend(context.Background()); err != nil {
		t.Errorf("the advice does not help: %v", err)
	}
}

// A message larger than any context window is sent with its beginning and its end. A note tells the
// model to recall the rest. With every strategy and window, no part is lost (D-30).
func TestAMessageOverTheWindowIsCut(t *testing.T) {
	t.Parallel()
	percents := []int{90, 100, 300}
	for i, strategy := range few(compression.Names()) {
		for j, limit := range few([]int{1000, 4000, 16_000, 128_000}) {
			if limit == 128_000 && i > 0 {
				continue // slow, and covers nothing new
			}
			percent := percents[(i+j)%len(percents)]
			t.Run(fmt.Sprintf("%s %d %d%%", strategy, limit, percent), func(t *testing.T) {
				t.Parallel()
				cutMessage(t, strategy, limit, limit*percent/100)
			})
		}
	}
}

func cutMessage(t *testing.T, strategy string, limit, tokens int) {
	var lines []string
	for i := range tokens / 4 {
		lines = append(lines, fmt.Sprintf("this is line %d", i+1))
	}
	message, middle := strings.Join(lines, "\n"), len(lines)/2
	r := newLogged(t)
	r.set("context-limit", strconv.Itoa(limit))
	r.set("compression.strategy", strategy)
	r.pair("a", "read_file", "a", wordy(50))
	r.model.next = func(n int) answerFunc {
		shown := r.model.requests[n].History
		switch text := shown[len(shown)-1].Text(); {
		case n == 0:
			number := regexp.MustCompile(`call recall with \{"number":(\d+),"offset":LINE\}`).FindStringSubmatch(text)
			if !strings.HasPrefix(text, "this is line 1\n") || !strings.HasSuffix(text, lines[len(lines)-1]) || number == nil {
				t.Errorf("the model is shown %.80q … %q", text, number)
				return say("done")
			}
			return calls("recall", fmt.Sprintf(`{"number":%s,"offset":%d}`, number[1], middle))
		default:
			return say("done")
		}
	}
	if out, err := r.prompt(message); err != nil || out.Response != "done" {
		t.Fatalf("%+v %v", out, err)
	}
	answers := r.responses()
	if got := answers[len(answers)-1]; !strings.Contains(got.Result.Text(), lines[middle-1]+"\n") {
		t.Errorf("recalled %.200q %s", got.Result.Text(), got.Error)
	}
	for n, request := range r.model.requests {
		if total := r.overhead() + size(r.bench, request) + limit/4; limit < 64_000 && total > limit {
			t.Errorf("request %d takes %d tokens with its reserve", n, total)
		}
	}
}

// Without a record the note states that the rest is lost. For a file it names the path.
func TestACutMessageWithoutARecord(t *testing.T) {
	t.Parallel()
	b := newBench(t, say("ok"))
	b.set("context-limit", "1500")
	b.config.Extensions.Expand = func(context.Context, atcmd.Message, RunEmbedded) (atcmd.Expansion, error) {
		return atcmd.Expansion{Blocks: []history.Block{
			&history.Text{Text: "look at this"}, history.NewInclusion("big.txt", wordy(2000)), &history.Text{Text: wordy(2000)},
		}}, nil
	}
	b.renew()
	if _, err := b.prompt("x"); err != nil {
		t.Fatal(err)
	}
	shown := b.model.requests[0].History[0].Text()
	for _, part := range []string{"look at this\n", "--- big.txt ---", "; the file is big.txt …]", "--- End of content ---", "the session has no log"} {
		if !strings.Contains(shown, part) {
			t.Errorf("%q is not in %q", part, shown)
		}
	}
}

// TestD30HistoryStartingWithAToolResponse checks that a resume repairs a record that begins with a
// tool response. If such an entry appears otherwise, an error names it and nothing is sent (D-32).
func TestD30HistoryStartingWithAToolResponse(t *testing.T) {
	t.Parallel()
	orphan := history.New(history.Tool, &history.ToolResponse{CallID: "gone", ToolName: "read_file", Result: history.TextResult(wordy(2000))})
	call := history.New(history.AI, &history.ToolCall{ID: "open", Name: "read_file", Parameters: []byte(`{}`)})
	t.Run("restored", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, say("ok"))
		b.set("context-limit", "1000")
		if err := b.resume([]*history.Content{orphan, history.HumanText("hi"), call}, nil); err != nil {
			t.Fatal(err)
		}
		if out, err := b.prompt("go on"); err != nil || out.Response != "ok" {
			t.Fatalf("%+v %v", out, err)
		}
		if r := b.responses(); len(r) != 1 || r[0].CallID != "open" || r[0].Error == "" {
			t.Errorf("responses %+v", r)
		}
	})
	t.Run("recorded", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, say("never"))
		b.record(orphan)
		_, err := b.Prompt(context.Background(), "go on")
		var broken *history.InvalidHistoryError
		if !errors.As(err, &broken) || broken.Violations[0].Entry != 0 || len(b.model.requests) != 0 {
			t.Fatalf("%v, %d requests", err, len(b.model.requests))
		}
	})
}
