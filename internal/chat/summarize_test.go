package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/settings"
)

const aSummary = "<state_snapshot><overall_goal>all of it</overall_goal></state_snapshot>"

// summaryTurn returns a turn of a model that writes a summary and reports its usage.
func summaryTurn(text string) answerFunc {
	return respond(llm.Reasoning{Delta: "hm"}, llm.Text{Delta: text}, llm.Usage{PromptTokens: 4000, CompletionTokens: 50, CachedTokens: 1000}, llm.Finish{Reason: "stop"})
}

// long records a conversation that is long enough for a summary.
func (b *bench) long() {
	b.t.Helper()
	for i := range 8 {
		b.record(history.HumanText(fmt.Sprint("question ", i)))
		b.pair(fmt.Sprint(i), "read_file", fmt.Sprint(i), wordy(100))
	}
}

// TestCompressIsATask covers D-36. /compress runs in parallel to the screen, reports its progress,
// refuses other changes, and adds a summary.
func TestCompressIsATask(t *testing.T) {
	t.Parallel()
	slow := func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
		time.Sleep(10 * time.Second)
		summaryTurn(aSummary)(ctx, req, yield)
	}
	running(t, func(t *testing.T, b *bench) {
		b.set("compression.strategy", "one-shot")
		b.config.CompressionPrompt = "sum it up"
		b.renew()
		b.long()
		ratio := b.ratio("test-model")
		type outcome struct {
			told Compressed
			err  error
		}
		ended := make(chan outcome, 1)
		go func() {
			told, err := b.Compress(t.Context())
			ended <- outcome{told, err}
		}()
		synctest.Wait()
		time.Sleep(3500 * time.Millisecond)
		synctest.Wait()
		if err := b.Clear(t.Context()); !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), "being summarized") {
			t.Errorf("clear meanwhile: %v", err)
		}
		if usage, err := b.Views.ContextUsage(t.Context()); err != nil || usage.Total() == 0 {
			t.Errorf("a question meanwhile: %+v, %v", usage, err)
		}
		b.Send("and then")
		synctest.Wait()
		if started := seen[CompressionStarted](b); len(started) != 1 || started[0] != (CompressionStarted{"one-shot", "test-model"}) {
			t.Errorf("started %v", started)
		}
		o := <-ended
		synctest.Wait()
		if o.err != nil || !o.told.Applied || b.window.CompressionCount() != 1 {
			t.Fatalf("%+v", o)
		}
		asked := b.model.requests[0]
		if asked.System != "sum it up" || len(asked.Tools) != 0 || len(asked.History) != 1 || !strings.Contains(asked.History[0].Text(), "question 3") || asked.Cache.Policy != llm.CacheOff {
			t.Errorf("asked %+v", asked)
		}
		if got := b.texts(history.Human); !strings.Contains(got[0], aSummary) || got[len(got)-1] != "and then" {
			t.Errorf("human entries %q", got)
		}
		stats, _ := b.Stats(t.Context())
		if stats.Requests != 2 || stats.PromptTokens != 4000 || stats.CompletionTokens != 50 || stats.CachedTokens != 1000 {
			t.Errorf("stats %+v", stats)
		}
		if b.ratio("test-model") != ratio {
			t.Error("D-09: a summary changed the calibration")
		}
	}, slow, say("ok"))
}

// TestEscEndsASummary checks that Esc ends a summary at once and the history stays unchanged.
func TestEscEndsASummary(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(*bench){
		"compress": func(b *bench) { go func() { _, _ = b.Compress(context.Background()) }() },
		"a turn":   func(b *bench) { b.set("compression.threshold", "0.001"); b.Send("go on") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			running(t, func(t *testing.T, b *bench) {
				b.set("compression.strategy", "middle-out")
				b.long()
				before := b.config.History.Len()
				begin(b)
				synctest.Wait()
				if len(seen[CompressionStarted](b)) != 1 {
					t.Fatal("no summary is asked for")
				}
				pressed := time.Now()
				b.Interrupt()
				synctest.Wait()
				if took := time.Since(pressed); took > 100*time.Millisecond || len(seen[TurnEnded](b)) != 1 {
					t.Errorf("it took %s, turns ended %v", took, stops(b))
				}
				added := 0
				if name == "a turn" {
					added = 1
					if !slices.Equal(stops(b), []Stop{StopInterrupted}) {
						t.Errorf("the turn ended %v", stops(b))
					}
				}
				if b.config.History.Len() != before+added || b.window.CompressionCount() != 0 {
					t.Errorf("%d entries became %d", before, b.config.History.Len())
				}
				if err := b.Clear(t.Context()); err != nil {
					t.Errorf("clear afterwards: %v", err)
				}
			}, hangingTurn)
		})
	}
}

// Esc also ends the search for the endpoint of a profile, which may hang. An endpoint that is found
// later is closed.
func TestEscEndsTheSearchForASummarizer(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, b *bench) {
		found, closed := make(chan struct{}), make(chan struct{})
		b.config.OtherModel = func(string) (*OtherModel, error) {
			<-found
			return &OtherModel{Endpoint: b.at, Settings: b.config.Settings, Close: func() { close(closed) }}, nil
		}
		b.renew()
		b.set("compression.strategy", "one-shot")
		b.set("compression.profile", "slow")
		b.long()
		before := b.config.History.Len()
		go func() { _, _ = b.Compress(context.Background()) }()
		synctest.Wait()
		pressed := time.Now()
		b.Interrupt()
		synctest.Wait()
		if took := time.Since(pressed); took > 100*time.Millisecond || len(seen[TurnEnded](b)) != 1 || b.config.History.Len() != before {
			t.Errorf("it took %s, turns ended %v, %d entries", took, stops(b), b.config.History.Len())
		}
		close(found)
		<-closed
	})
}

// The end of its caller ends a compression.
func TestCompressEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, b *bench) {
		b.set("compression.strategy", "one-shot")
		b.long()
		ctx, cancel := context.WithCancel(t.Context())
		go func() { synctest.Wait(); cancel() }()
		if _, err := b.Compress(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		synctest.Wait()
		if len(seen[TurnEnded](b)) != 1 {
			t.Error("the task goes on")
		}
	}, hangingTurn)
}

// Unusable summaries leave the history unchanged and return an error (ERR-004).
func TestUselessSummaries_ERR004(t *testing.T) {
	t.Parallel()
	endless := func(_ context.Context, _ llm.Request, yield func(llm.Chunk, error) bool) {
		for yield(llm.Text{Delta: "<state_snapshot>" + wordy(1000)}, nil) {
		}
	}
	for says, turn := range map[string]answerFunc{
		"the answer is empty":              say(""),
		"contains no <state_snapshot>":     say("as you wish"),
		"cut at the model's output limit":  respond(llm.Text{Delta: aSummary}, llm.Finish{Reason: "length"}),
		"the answer is longer than":        endless,
		"no summary by test-model: broken": fail(errors.New("broken")),
		"no summary within 10m":            hangingTurn,
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			running(t, func(t *testing.T, b *bench) {
				b.set("compression.strategy", "one-shot")
				b.long()
				before := b.config.History.Len()
				_, err := b.Compress(t.Context())
				if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "/set compression-strategy high-density") || b.config.History.Len() != before {
					t.Errorf("%v", err)
				}
			}, turn)
		})
	}
}

// A key in the transcript is not sent to the model that writes the summary. A key in the summary is
// not stored.
func TestSummariesHaveNoKeys(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, b *bench) {
		const key = "sk-proj-0123456789abcdefghij"
		b.set("compression.strategy", "one-shot")
		b.pair("k", "run_shell_command", "env", "KEY="+key+" and sk-learn-contrib")
		b.long()
		b.model.next = func(int) answerFunc {
			return say("<state_snapshot><key_knowledge>" + key + "</key_knowledge></state_snapshot>")
		}
		if _, err := b.Compress(t.Context()); err != nil {
			t.Fatal(err)
		}
		sent := b.model.requests[0].History[0].Text()
		if strings.Contains(sent, key) || !strings.Contains(sent, "KEY=[key] and sk-learn-contrib") {
			t.Error("the key was sent")
		}
		for _, text := range b.texts(history.Human) {
			if strings.Contains(text, key) {
				t.Errorf("%q", text)
			}
		}
	})
}

// TestSummaryByAnotherProfile covers compression.profile: its model, endpoint, context window and
// price are used. Its figures do not affect the calibration (D-36, D-09).
func TestSummaryByAnotherProfile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.set("compression.strategy", "one-shot")
	b.set("compression.profile", "cheap")
	b.set("compression.threshold", "0.001")
	b.model.next = script(say("ok"))
	other := &model{next: script(summaryTurn(aSummary))}
	small := elsewhere(other)
	small.window = 1000
	closed := 0
	b.config.OtherModel = func(profile string) (*OtherModel, error) {
		of := settings.New(b.config.Settings.Registry())
		for key, value := range map[string]string{"model": "small-model", "price.input": "2", "price.cached": "1", "price.output": "10", "temperature": "0"} {
			if err := of.Set(settings.LayerProfile, key, value); err != nil {
				t.Error(err)
			}
		}
		return &OtherModel{Endpoint: small, Settings: of, Close: func() { closed++ }}, nil
	}
	b.renew()
	b.long()
	if _, err := b.prompt("go on"); err != nil {
		t.Fatal(err)
	}
	asked := other.requests[0]
	if asked.Model != "small-model" || *asked.Temperature != 0 || closed != 1 || len(other.requests) != 1 || len(b.model.requests) != 1 {
		t.Errorf("asked %+v", asked)
	}
	// The limit is four fifths of three quarters of 1 000 tokens.
	if n := len(strings.Fields(asked.History[0].Text())); n > 600 || strings.Contains(asked.History[0].Text(), wordy(100)) {
		t.Errorf("asked %d words", n)
	}
	if stats := b.figures(); stats.Cost != (3000*2+1000*1+50*10)/1e6 || stats.PromptTokens != 4000 || stats.Requests != 2 {
		t.Errorf("stats %+v", stats)
	}
	if b.ratio("small-model") != 1 || b.ratio("test-model") != 1 {
		t.Error("D-09: the summary reached the calibration")
	}
	if !strings.Contains(b.texts(history.Human)[0], "written by small-model") {
		t.Errorf("%q", b.texts(history.Human)[0])
	}
}

// An error names a profile that no longer exists when it is needed.
func TestSummaryByAProfileThatIsGone(t *testing.T) {
	t.Parallel()
	b := newBench(t, say("ok"))
	b.set("compression.strategy", "one-shot")
	b.set("compression.profile", "cheap")
	b.set("compression.threshold", "0.001")
	b.long()
	for says, find := range map[string]func(string) (*OtherModel, error){
		`unknown profile "cheap": no profiles exist`: nil,
		`compression.profile: no "cheap"`:            func(name string) (*OtherModel, error) { return nil, fmt.Errorf("no %q", name) },
	} {
		b.config.OtherModel = find
		b.renew()
		if _, err := b.prompt("go on"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v does not say %s", err, says)
		}
	}
}

// An endpoint that has just refused the size does not get the request for a summary. Another
// endpoint does (S-12).
func TestSummaryAfterARefusal_S12(t *testing.T) {
	t.Parallel()
	refuses := fail(&llm.Error{Kind: llm.ContextOverflow, Message: "too long", ContextLimit: 900})
	for _, another := range []bool{false, true} {
		b := newBench(t, refuses, say("ok"))
		b.set("compression.strategy", "one-shot")
		other := &model{next: script(summaryTurn(aSummary))}
		b.config.OtherModel = func(string) (*OtherModel, error) {
			of := settings.New(b.config.Settings.Registry())
			if another {
				if err := of.Set(settings.LayerProfile, "base-url", "http://elsewhere/v1"); err != nil {
					t.Error(err)
				}
			}
			return &OtherModel{Endpoint: elsewhere(other), Settings: of, Close: func() {}}, nil
		}
		b.renew()
		if another {
			b.set("compression.profile", "cheap")
		}
		b.long()
		if _, err := b.prompt("go on"); err != nil {
			t.Fatal(err)
		}
		told := seen[Compressed](b)
		if len(b.model.requests) != 2 || (len(other.requests) == 1) != another || told[0].Failed == another {
			t.Errorf("another %t: %d requests, %d of the other, told %q", another, len(b.model.requests), len(other.requests), told)
		}
		if !another && !strings.Contains(told[0].String(), "has just refused a request of this size. Continuing without a summary") {
			t.Errorf("told %q", told[0])
		}
	}
}

// A summary names the transcript if there is one (REQ-HD-012.2).
func TestSummaryNamesTheTranscript(t *testing.T) {
	t.Parallel()
	b := newBench(t, summaryTurn(aSummary), say("ok"))
	b.config.TranscriptPath = func() string { return "/data/1.jsonl" }
	b.renew()
	b.set("compression.strategy", "one-shot")
	b.set("compression.threshold", "0.001")
	b.long()
	if _, err := b.prompt("go on"); err != nil {
		t.Fatal(err)
	}
	if got := b.texts(history.Human)[0]; !strings.HasSuffix(got, "is recorded in /data/1.jsonl.") {
		t.Errorf("%q", got)
	}
}
