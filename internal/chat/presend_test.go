package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm"
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
	if err := b.add(c); err != nil {
		b.t.Fatal(err)
	}
}

func wordy(n int) string { return strings.Repeat("word ", n) }

// TestS01DensityComesBeforeTheThreshold covers S-01 and S-05, REQ-HD-002.1,
// REQ-HD-002.4 and BR-THRESH-005: the threshold is compared with what density left.
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
	if len(density) != 1 || density[0].Metadata.Of("stale-read") != 1 {
		t.Fatalf("density %+v", density)
	}
	scratch := b.overhead()
	for _, e := range b.History.RawHistory() {
		scratch += b.History.CountContent(e)
	}
	if density[0].TokensAfter != scratch || b.window.Tokens() != scratch {
		t.Errorf("REQ-HD-002.4: %d tokens after the edit, %d from scratch", density[0].TokensAfter, scratch)
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
	if status := b.status(); status.Freed != freed {
		t.Errorf("%d freed, the status says %d", freed, status.Freed)
	}
	if len(density[0].Prunes) != 1 || density[0].Prunes[0].Tokens != freed || density[0].Prunes[0].Subject != "a" {
		t.Errorf("ledger %+v", density[0].Prunes)
	}
}

// TestLedgerTellsTheTurn in which something was pruned, by the user's messages.
func TestLedgerTellsTheTurn(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("read_file", `{"file_path":"a"}`), say("read"), calls("write_file", `{"file_path":"a"}`), say("written"))
	for _, text := range []string{"read it", "write it"} {
		if _, err := b.prompt(text); err != nil {
			t.Fatal(err)
		}
	}
	if len(b.window.Ledger()) != 1 || b.window.Ledger()[0].Turn != 2 || b.window.Ledger()[0].Subject != "a" || b.window.Ledger()[0].Kind != "stale-read" || b.window.Ledger()[0].Tokens < 200 {
		t.Errorf("ledger %+v", b.window.Ledger())
	}
}

// TestS02StrategyWithoutOptimize covers S-02 and REQ-HD-002.2.
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

// optimizeCounter counts how often it is asked and keeps what it was last given.
type optimizeCounter struct {
	compression.Strategy
	calls  int
	given  []*history.Content
	config compression.DensityConfig
	result history.DensityResult
	err    error
}

func (o *optimizeCounter) Optimize(raw []*history.Content, config compression.DensityConfig) (history.DensityResult, error) {
	o.calls++
	o.given, o.config = raw, config
	return o.result, o.err
}

// failingCompress is a strategy whose compression fails.
type failingCompress struct {
	compression.Strategy
	err error
}

func (f failingCompress) Compress(context.Context, compression.Context) (compression.Result, error) {
	return compression.Result{}, f.err
}

func highDensity(t *testing.T) compression.Strategy {
	t.Helper()
	s, err := compression.Get(compression.DefaultName)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestDirtyFlag covers S-03 and S-04, REQ-HD-002.3, REQ-HD-002.5, REQ-HD-002.6 and
// REQ-HD-002.7.
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
		if err := b.window.EnsureDensityOptimized(counting); err != nil {
			t.Fatal(err)
		}
		if counting.calls != s.want {
			t.Errorf("%s: optimised %d times, want %d", s.name, counting.calls, s.want)
		}
	}
	if len(seen[DensityApplied](b)) != 0 {
		t.Error("REQ-HD-002.5: an empty result was applied")
	}
	if _, err := b.window.Compress(t.Context(), highDensity(t)); err != nil {
		t.Fatal(err)
	}
	b.History.RecalculateTotalTokens()
	if err := b.window.EnsureDensityOptimized(counting); err != nil || counting.calls != 2 {
		t.Errorf("REQ-HD-002.6: a compression or a recount made the history dirty: %d calls, %v", counting.calls, err)
	}
}

// TestOptimizeSeesTheRawHistory covers REQ-HD-002.9: empty entries, which are never
// sent, are there, and the indices of the result count them. What the settings say
// arrives (REQ-HD-001.9).
func TestOptimizeSeesTheRawHistory(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.set("compression.density.recencyPruning", "true")
	b.set("compression.density.recencyRetention", "7")
	b.set("compression.density.fileDedupe", "false")
	b.record(history.New(history.AI, &history.Thinking{Thought: "hm"}))
	b.record(history.HumanText("drop me"))
	b.record(history.HumanText("keep me"))
	dropping := &optimizeCounter{Strategy: highDensity(t), result: history.DensityResult{Removals: []int{1}}}
	if err := b.window.EnsureDensityOptimized(dropping); err != nil {
		t.Fatal(err)
	}
	if len(dropping.given) != 3 || !dropping.given[0].Empty() {
		t.Errorf("it was given %d entries", len(dropping.given))
	}
	if got := b.texts(history.Human); len(got) != 1 || got[0] != "keep me" {
		t.Errorf("left are %q", got)
	}
	c := dropping.config
	if !c.Switches["readWritePruning"] || c.Switches["fileDedupe"] || !c.Switches["recencyPruning"] || c.Numbers["recencyRetention"] != 7 || c.WorkspaceRoot != "/w" {
		t.Errorf("configured %+v", c)
	}
	if !c.Facts("read_file").Reads || !c.Facts("write_file").Writes || c.Facts("nosuch").Reads || c.Facts("read_file").Key != "file_path" {
		t.Error("the facts are not those of the tools")
	}
}

// TestD29OnlyThePreSendWindowShrinks covers D-29, REQ-HD-002.10, ERR-031 and
// ERR-032: density is called from the window alone, the window before every request
// and by nothing else, and all of it runs on the goroutine that owns the chat.
func TestD29OnlyThePreSendWindowShrinks(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	for name, want := range map[string][]string{
		// The last of each is "agent context", which works on a file and has no turn
		// loop.
		".ApplyDensityResult":         {"internal/chat/window/density.go", "internal/offline/optimize.go"},
		".EnsureDensityOptimized":     {"internal/chat/presend.go", "internal/chat/window/enforce.go"},
		".PerformCompression":         {"internal/chat/presend.go"},
		".EnforceLimit":               {"internal/chat/presend.go"},
		"EnsureCompressionBeforeSend": {"internal/chat/turn.go", "internal/offline/replay.go"},
	} {
		var callers []string
		calls := regexp.MustCompile(`(?m)^\s.*` + regexp.QuoteMeta(name) + `\(`)
		err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			source, err := os.ReadFile(file)
			if calls.MatchString(string(source)) {
				relative, _ := filepath.Rel(root, file)
				callers = append(callers, filepath.ToSlash(relative))
			}
			return err
		})
		if err != nil || !slices.Equal(callers, want) {
			t.Errorf("%s is called in %v, want %v; %v", name, callers, want, err)
		}
	}
}

// TestS06ExactlyAtTheThreshold covers S-06 and D-07.
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
			b.record(history.HumanText(wordy(500 + tc.more - b.window.Tokens() - 4)))
			if _, err := b.prepare(); err != nil {
				t.Fatal(err)
			}
			if got := len(seen[Compressed](b)) == 1; got != tc.want {
				t.Errorf("compressed %v, want %v", got, tc.want)
			}
		})
	}
}

// TestThresholdPrecedence_REQ_HD_001_10 covers REQ-HD-001.10 and BR-THRESH-001.
func TestThresholdPrecedence_REQ_HD_001_10(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.set("context-limit", "1000")
	if got := b.window.Trigger(highDensity(t)); got != 850 {
		t.Errorf("strategy default %v", got)
	}
	b.set("compression.threshold", "0.4")
	if got := b.window.Trigger(highDensity(t)); got != 400 {
		t.Errorf("setting %v", got)
	}
}

// TestS09LongToolLoopInASmallWindow covers S-09: 300 calls in one turn; every request fits and
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
	t.Run("the size the provider names is believed", func(t *testing.T) {
		t.Parallel()
		named := *overflow
		named.ContextLimit = 600
		b := newBench(t, fail(&named), say("now it fits"))
		fill(b)
		if out, err := b.prompt("go"); err != nil || out.Response != "now it fits" {
			t.Fatalf("%+v %v", out, err)
		}
		if status := b.status(); status.Limit != 600 || status.Tokens > 450 {
			t.Errorf("%d tokens in a window of %d", status.Tokens, status.Limit)
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
