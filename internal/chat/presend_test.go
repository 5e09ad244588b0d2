package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/settings"
)

// pair records a call with its answer.
func (b *bench) pair(id, tool, path, result string) {
	b.t.Helper()
	args, _ := json.Marshal(map[string]string{"file_path": path})
	b.record(history.New(history.AI, &history.ToolCall{ID: id, Name: tool, Parameters: args}))
	b.record(history.New(history.Tool, &history.ToolResponse{CallID: id, ToolName: tool, Result: history.TextResult(result)}))
}

func (b *bench) record(c *history.Content) {
	b.t.Helper()
	if err := b.Record(c); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) prepare() (llm.Request, error) { return b.PrepareRequest(context.Background()) }

func wordy(n int) string { return strings.Repeat("word ", n) }

func TestS01DensityComesBeforeTheThreshold(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.set("context-limit", "2000")
	b.set("max-output-tokens", "10")
	b.record(history.HumanText("go"))
	b.pair("r", "read_file", "a", wordy(1900))
	b.pair("w", "write_file", "a", "written")
	request, err := b.prepare()
	if err != nil {
		t.Fatal(err)
	}
	density := seen[DensityApplied](b)
	if len(density) != 1 || density[0].Metadata.ReadWritePairsPruned != 1 {
		t.Fatalf("density %+v", density)
	}
	// S-05: without the stale read the total is under the threshold.
	if c := seen[Compressed](b); len(c) != 0 {
		t.Errorf("S-05: compression ran: %+v", c)
	}
	if len(request.History) != 3 {
		t.Errorf("%d entries sent", len(request.History))
	}
	if got := density[0].String(); !strings.HasPrefix(got, "density: 1 stale read, −1.9k tokens (") {
		t.Errorf("told as %q", got)
	}
	freed := density[0].TokensBefore - density[0].TokensAfter
	if _, status := b.Figures(); status.Freed != freed {
		t.Errorf("%d freed, the status says %d", freed, status.Freed)
	}
	if len(density[0].Prunes) != 1 || density[0].Prunes[0].Tokens != freed || density[0].Prunes[0].Subject != "a" {
		t.Errorf("ledger %+v", density[0].Prunes)
	}
}

func TestS02StrategyWithoutOptimize(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.set("compression.strategy", "top-down-truncation")
	b.record(history.HumanText("go"))
	b.pair("r", "read_file", "a", wordy(50))
	b.pair("w", "write_file", "a", "written")
	if _, err := b.prepare(); err != nil || len(seen[DensityApplied](b)) != 0 {
		t.Fatalf("err %v, density %v", err, seen[DensityApplied](b))
	}
}

// optimizeCounter counts how often it is asked.
type optimizeCounter struct {
	compression.Strategy
	calls  int
	result history.DensityResult
	err    error
}

func (o *optimizeCounter) Optimize([]*history.Content, compression.DensityConfig) (history.DensityResult, error) {
	o.calls++
	return o.result, o.err
}

func highDensity(t *testing.T) compression.Strategy {
	t.Helper()
	s, err := compression.Get(compression.DefaultName)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestDirtyFlag covers S-03 and S-04 and REQ-HD-002.3, .5, .6, .7.
func TestDirtyFlag(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	counting := &optimizeCounter{Strategy: highDensity(t)}
	steps := []struct {
		name string
		do   func()
		want int
	}{
		{"S-04 empty result", func() { b.record(history.HumanText("one")) }, 1},
		{"S-03 nothing new", func() {}, 1},
		{"REQ-HD-002.6 new content", func() { b.record(history.HumanText("two")) }, 2},
	}
	for _, s := range steps {
		s.do()
		if err := b.ensureDensityOptimized(counting); err != nil {
			t.Fatal(err)
		}
		if counting.calls != s.want {
			t.Errorf("%s: optimised %d times, want %d", s.name, counting.calls, s.want)
		}
	}
	if len(seen[DensityApplied](b)) != 0 {
		t.Error("REQ-HD-002.5: an empty result was applied")
	}
}

func TestS06ExactlyAtTheThreshold(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		more int
		want bool
	}{{"one below", -1, false}, {"exactly", 0, true}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.set("context-limit", "1000")
			b.set("compression.threshold", "0.5")
			b.record(history.HumanText("go"))
			b.record(history.New(history.AI)) // empty: part of the raw history only
			b.pair("c", "read_file", "a", wordy(100))
			b.pair("d", "read_file", "b", wordy(100))
			b.record(history.HumanText(wordy(500 + tc.more - b.Tokens() - 4)))
			if _, err := b.prepare(); err != nil {
				t.Fatal(err)
			}
			if got := len(seen[Compressed](b)) == 1; got != tc.want {
				t.Errorf("compressed %v, want %v", got, tc.want)
			}
		})
	}
}

func TestThresholdPrecedence_REQ_HD_001_10(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if got := b.threshold(highDensity(t)); got != 0.85 {
		t.Errorf("strategy default %v", got)
	}
	b.set("compression.threshold", "0.4")
	if got := b.threshold(highDensity(t)); got != 0.4 {
		t.Errorf("setting %v", got)
	}
}

func TestS07OverTheHardLimitRungsAreAnnounced(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.set("context-limit", "1000")
	b.set("max-output-tokens", "200")
	b.set("compression.threshold", "1")
	b.record(history.HumanText("go"))
	for i := range 6 {
		b.pair(fmt.Sprint(i), "read_file", fmt.Sprint(i), wordy(300))
	}
	request, err := b.prepare()
	if err != nil {
		t.Fatal(err)
	}
	if b.Tokens()+200 > 1000 {
		t.Errorf("%d tokens and a reserve of 200 in a window of 1000", b.Tokens())
	}
	if err := history.Validate(request.History); err != nil {
		t.Error(err)
	}
	told := seen[Notice](b)
	if len(told) == 0 && len(seen[Compressed](b)) == 0 {
		t.Error("nothing was announced")
	}
}

// TestS08FailuresReachTheUser covers REQ-HD-013.1, .2, .4 and D-31.
func TestS08FailuresReachTheUser(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	t.Run("optimise", func(t *testing.T) {
		t.Parallel()
		b := newBench(t)
		b.record(history.HumanText("go"))
		failing := &optimizeCounter{Strategy: highDensity(t), err: boom}
		if err := b.ensureDensityOptimized(failing); !errors.Is(err, boom) {
			t.Fatal(err)
		}
		if err := b.ensureDensityOptimized(failing); err != nil || failing.calls != 1 {
			t.Errorf("REQ-HD-002.7: a failed optimisation counts as run: %v, %d calls", err, failing.calls)
		}
	})
	t.Run("apply", func(t *testing.T) {
		t.Parallel()
		b := newBench(t)
		b.record(history.HumanText("go"))
		wrong := &optimizeCounter{Strategy: highDensity(t), result: history.DensityResult{Removals: []int{7}}}
		var refused *history.DensityError
		if err := b.ensureDensityOptimized(wrong); !errors.As(err, &refused) {
			t.Fatal(err)
		}
		if b.History.Len() != 1 {
			t.Error("the history changed")
		}
	})
	t.Run("reserve leaves no room", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, say("ok"))
		b.set("context-limit", "1000")
		b.set("max-output-tokens", "1000")
		_, err := b.prompt("go")
		if err == nil || !strings.Contains(err.Error(), "max-output-tokens") || !strings.Contains(err.Error(), "context-limit") {
			t.Fatal(err)
		}
		b.set("max-output-tokens", "100")
		if _, err := b.prompt("again"); err != nil {
			t.Errorf("the next message does not work: %v", err)
		}
	})
	t.Run("message too large", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, say("ok"))
		b.set("context-limit", "1000")
		var overflow *compression.ContextOverflowError
		if _, err := b.prompt(wordy(1000)); !errors.As(err, &overflow) {
			t.Fatal(err)
		}
		if len(b.model.requests) != 0 {
			t.Error("it was sent")
		}
	})
}

// TestS09LongToolLoopInASmallWindow: 300 calls in one turn; every request fits and
// is valid.
func TestS09LongToolLoopInASmallWindow(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.set("context-limit", "16000")
	b.model.next = func(n int) answerFunc {
		switch {
		case n == 300:
			return say("done")
		case n%3 == 2:
			return calls("write_file", fmt.Sprintf(`{"file_path":"f%d"}`, n/9))
		default:
			return calls("read_file", fmt.Sprintf(`{"file_path":"f%d"}`, n/9+n%3))
		}
	}
	reserve := 16000 / 4
	b.on = func(e Event) {
		if s, ok := e.(StatusChanged); ok && s.Status.Tokens > 16000+2000 {
			t.Errorf("%d tokens in a window of 16000", s.Status.Tokens)
		}
	}
	out, err := b.prompt("work")
	if err != nil || out.Stop != StopDone || out.ToolCalls != 300 {
		t.Fatalf("%+v %v", out, err)
	}
	for n, r := range b.model.requests {
		total := b.overhead()
		for _, e := range r.History {
			total += b.History.CountContent(e)
		}
		if total+reserve > 16000 {
			t.Errorf("request %d holds %d tokens", n, total)
		}
	}
	if len(seen[DensityApplied](b)) == 0 {
		t.Error("density never ran")
	}
}

func TestS11StrategyChangedBetweenTurns(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.set("compression.strategy", "top-down-truncation")
	b.record(history.HumanText("go"))
	b.pair("r", "read_file", "a", wordy(50))
	b.pair("w", "write_file", "a", "written")
	if _, err := b.prepare(); err != nil || len(seen[DensityApplied](b)) != 0 {
		t.Fatal("density ran for a strategy without it")
	}
	if err := b.Settings.Set(settings.Session, "compression.strategy", "High-Density"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.prepare(); err != nil || len(seen[DensityApplied](b)) != 1 {
		t.Fatalf("density did not run at the next send: %v", err)
	}
}

// TestS12ProviderFindsTheContextTooLong: ladder, one retry, and a second refusal
// is reported.
func TestS12ProviderFindsTheContextTooLong(t *testing.T) {
	t.Parallel()
	overflow := &llm.Error{Kind: llm.ContextOverflow, Message: "too long"}
	fill := func(b *bench) {
		b.record(history.HumanText("before"))
		for i := range 5 {
			b.pair(fmt.Sprint(i), "read_file", fmt.Sprint(i), wordy(300))
		}
	}
	t.Run("one retry", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, fail(overflow), say("now it fits"))
		fill(b)
		if out, err := b.prompt("go"); err != nil || out.Response != "now it fits" {
			t.Fatalf("%+v %v", out, err)
		}
		first, second := b.model.requests[0], b.model.requests[1]
		if size(b, second) >= size(b, first)*3/4+1 {
			t.Errorf("the second request has %d tokens, the first had %d", size(b, second), size(b, first))
		}
	})
	t.Run("a second refusal is reported", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, fail(overflow), fail(overflow), say("never"))
		fill(b)
		if _, err := b.prompt("go"); !errors.Is(err, overflow) || len(b.model.requests) != 2 {
			t.Fatalf("%v after %d requests", err, len(b.model.requests))
		}
	})
}

func size(b *bench, r llm.Request) int {
	total := 0
	for _, e := range r.History {
		total += b.History.CountContent(e)
	}
	return total
}

// TestCalibration_D09: limits hold for a model that counts more tokens than we do.
func TestCalibration_D09(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.model.next = func(n int) answerFunc {
		if n == 40 {
			return say("done")
		}
		return func(_ context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
			if !yield(llm.Usage{PromptTokens: 3 * (b.overhead() + size(b, req)) / 2}, nil) {
				return
			}
			calls("read_file", fmt.Sprintf(`{"file_path":"f%d"}`, n))(nil, req, yield)
		}
	}
	b.set("context-limit", "8000")
	if out, err := b.prompt("go"); err != nil || out.Stop != StopDone {
		t.Fatalf("%+v %v", out, err)
	}
	for n, r := range b.model.requests[1:] {
		if real := 3 * (b.overhead() + size(b, r)) / 2; real+2000 > 8000 {
			t.Errorf("request %d really holds %d tokens", n+1, real)
		}
	}
}
