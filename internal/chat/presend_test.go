package chat

import (
	"bytes"
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

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/session"
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

// TestLedgerHasTheTurn checks that the ledger contains the number of the turn in which content
// was pruned. It counts user messages.
func TestLedgerHasTheTurn(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("read_file", `{"file_path":"a"}`), say("read"), calls("write_file", `{"file_path":"a"}`), say("written"))
	for _, text := range []string{"read it", "write it"} {
		if _, err := b.prompt(text); err != nil {
			t.Fatal(err)
		}
	}
	if len(b.window.Ledger.Lines()) != 1 || b.window.Ledger.Lines()[0].Turn != 2 || b.window.Ledger.Lines()[0].Subject != "a" || b.window.Ledger.Lines()[0].Kind != "stale-read" || b.window.Ledger.Lines()[0].Tokens < 200 {
		t.Errorf("ledger %+v", b.window.Ledger.Lines())
	}
}

// TestD29OnlyThePreSendWindowShrinks covers D-29, REQ-HD-002.10, ERR-031 and ERR-032. Only package
// window calls density, and only the step before every request calls package window. All of it runs
// on the goroutine that owns the chat.
func TestD29OnlyThePreSendWindowShrinks(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	for name, want := range map[string][]string{
		// The last file of each list belongs to "agent context", which works on a file and has no
		// turn loop.
		".ApplyDensityResult":         {"internal/chat/window/prune.go", "internal/chat/window/refusal.go", "internal/offline/optimize.go"},
		".EnsureDensityOptimized":     {"internal/chat/presend.go"},
		".PerformCompression":         {"internal/chat/presend.go"},
		".EnforceLimit":               {"internal/chat/presend.go"},
		"EnsureCompressionBeforeSend": {"internal/chat/estimate.go", "internal/chat/turn.go", "internal/offline/explain.go", "internal/offline/run.go"},
	} {
		var callers []string
		calls := regexp.MustCompile(`(?m)^\s.*` + regexp.QuoteMeta(name) + `\(`)
		err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			source, err := os.ReadFile(file)
			if bytes.Contains(source, []byte(name+"(")) && calls.Match(source) {
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

// TestS09LongToolLoopInASmallWindow covers S-09: 300 calls in one turn. Every request fits and is
// valid, even in a window of 1 000 tokens (D-30).
func TestS09LongToolLoopInASmallWindow(t *testing.T) {
	t.Parallel()
	for limit, most := range map[int]int{16_000: 300, 1000: 20} {
		b := newBench(t)
		b.set("context-limit", fmt.Sprint(limit))
		b.model.next = func(n int) answerFunc {
			switch {
			case n == most:
				return say("done")
			case n%3 == 2:
				return calls("write_file", fmt.Sprintf(`{"file_path":"f%d"}`, n/9))
			default:
				return calls("read_file", fmt.Sprintf(`{"file_path":"f%d"}`, n/9+n%3))
			}
		}
		out, err := b.prompt("work")
		if err != nil || out.Stop != StopDone || out.ToolCalls != most {
			t.Fatalf("%+v %v", out, err)
		}
		for n, r := range b.model.requests {
			if total := b.overhead() + size(b, r); total+limit/4 > limit {
				t.Errorf("request %d holds %d tokens of %d", n, total, limit)
			}
		}
		if len(seen[DensityApplied](b)) == 0 {
			t.Error("density never ran")
		}
	}
}

// TestS12ProviderFindsTheContextTooLong checks the reaction to a refused size: the fallback steps,
// one retry, and an error after a second refusal.
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
		total += b.config.History.CountContent(e)
	}
	return total
}

// TestCalibration_D09 checks that limits hold for a model that counts more tokens than we do.
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

// A limit that was learned from a refusal is valid in a resumed session, until another one or
// another endpoint is configured.
func TestALearnedLimitSurvives(t *testing.T) {
	t.Parallel()
	r := newRecorded(t, t.TempDir(), fail(&llm.Error{Kind: llm.ContextOverflow, Message: "too long", ContextLimit: 900}), say("now it fits"))
	r.record(history.HumanText("before"))
	for i := range 5 {
		r.pair(fmt.Sprint(i), "read_file", fmt.Sprint(i), wordy(300))
	}
	if _, err := r.prompt("go"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(r.log.Path())
	if err != nil {
		t.Fatal(err)
	}
	state, err := session.Replay(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	again := newBench(t)
	if again.Chat, err = Resume(again.config, state); err != nil {
		t.Fatal(err)
	}
	if live, resumed := r.window.Limits.Size(), again.window.Limits.Size(); live != 900 || resumed != 900 {
		t.Errorf("the window is %d, and %d after a resume", live, resumed)
	}
	if again.set("base-url", "http://127.0.0.1:1/v1"); again.window.Limits.Size() == 900 {
		t.Error("the limit of one server is valid at another")
	}
	if again.set("context-limit", "5000"); again.window.Limits.Size() != 5000 {
		t.Errorf("the window is %d, and 5000 is configured", again.window.Limits.Size())
	}
}
