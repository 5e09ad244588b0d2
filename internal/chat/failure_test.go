package chat

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/compression"
	"agent/internal/history"
)

// failing is a strategy in which one thing fails.
type failing struct {
	compression.Strategy
	optimize, compress error
	result             history.DensityResult
}

func (f failing) Optimize([]*history.Content, compression.DensityConfig) (history.DensityResult, error) {
	return f.result, f.optimize
}

func (f failing) Compress(ctx context.Context, c compression.Context) (compression.Result, error) {
	if f.compress != nil {
		return compression.Result{}, f.compress
	}
	return f.Strategy.Compress(ctx, c)
}

// TestS08FailuresReachTheUser covers S-08, REQ-HD-013.1, REQ-HD-013.2, REQ-HD-013.3,
// REQ-HD-013.4, ERR-002, ERR-003, ERR-020, ERR-021 and D-31: whatever fails before a
// request ends the turn; nothing is sent, the message is kept, and it can be sent
// when the cause is gone.
func TestS08FailuresReachTheUser(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	highDensity, err := compression.Get(compression.DefaultName)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name     string
		strategy failing
		// full is the record that fails.
		full  history.MutationKind
		words string
	}{
		{"optimise", failing{optimize: boom}, "", "density optimisation failed, nothing was sent"},
		{"apply", failing{result: history.DensityResult{Removals: []int{99}}}, "", "density result refused"},
		// REQ-HD-013.3, ERR-020, ERR-021: counting is part of the edit and cannot fail
		// (D-01); what can is the record of it.
		{"record of the edit", failing{result: history.DensityResult{Removals: []int{1}}}, history.MutationDensity, "density optimisation failed"},
		{"compress", failing{compress: boom}, "", "your message is kept"},
		{"record of the compression", failing{}, history.MutationReplaced, "your message is kept"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, say("ok"))
			full := true
			b.keep(history.NewService(wordCount{}, func(m history.Mutation) error {
				if full && m.Kind == tc.full {
					return boom
				}
				return nil
			}))
			b.set("context-limit", "1000")
			b.record(history.HumanText("go"))
			b.record(history.HumanText("drop me"))
			for i := range 5 {
				b.pair(fmt.Sprint(i), "read_file", fmt.Sprint(i), wordy(180))
			}
			tc.strategy.Strategy = highDensity
			b.window.Strategy = func(string) (compression.Strategy, error) { return tc.strategy, nil }
			out, err := b.prompt("now")
			if err == nil || !strings.Contains(err.Error(), tc.words) || out.Stop != StopFailed || len(b.model.requests) != 0 {
				t.Fatalf("%+v, %v, %d requests", out, err, len(b.model.requests))
			}
			if said := b.texts(history.Human); !slices.Contains(said, "now") {
				t.Errorf("the message is not kept: %q", said)
			}
			if len(seen[Compressed](b)) != 0 {
				t.Error("REQ-HD-013.4: something else was done instead")
			}
			full = false
			b.window.Strategy = compression.Get
			if out, err := b.Resend(context.Background()); err != nil || out.Response != "ok" {
				t.Errorf("it cannot be sent again: %+v, %v", out, err)
			}
		})
	}
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
	t.Run("prompt too large", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, say("ok"))
		b.System = func(bool, []string, func(string) bool) (string, bool) { return wordy(1000), false }
		b.set("context-limit", "1000")
		var overflow *compression.ContextOverflowError
		if _, err := b.prompt("go"); !errors.As(err, &overflow) {
			t.Fatal(err)
		}
		if len(b.model.requests) != 0 {
			t.Error("it was sent")
		}
	})
}

// Reliability 2, F6: a record that another program took away is said, as often as that is.
func TestATakenRecordIsSaid(t *testing.T) {
	t.Parallel()
	r := newRecorded(t, t.TempDir(), say("one"), say("two"))
	for i, text := range []string{"a", "b"} {
		if _, err := r.prompt(text); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			if err := os.Remove(r.log.Path()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if said := seen[Notice](r.bench); len(said) != 1 || !strings.Contains(said[0].Text, "was removed by another program") {
		t.Errorf("said %q", said)
	}
}

// A disk that takes nothing is said once, shown as long as it lasts, and ends no turn.
func TestUnsavedIsSaidOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "sessions")
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // where the folder would be
		t.Fatal(err)
	}
	r := newRecorded(t, dir, calls("ls", `{}`), say("one"), say("two"), say("three"))
	for _, text := range []string{"a", "b"} {
		if out, err := r.prompt(text); err != nil || out.Stop != StopDone {
			t.Fatalf("%+v %v", out, err)
		}
	}
	if status := seen[StatusChanged](r.bench); !status[len(status)-1].Status.Unsaved {
		t.Error("the status shows it as saved")
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := r.prompt("c"); err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, n := range seen[Notice](r.bench) {
		told = append(told, n.Text)
	}
	if len(told) != 2 || !strings.Contains(told[0], "is not saved to "+dir) || !strings.HasPrefix(told[1], "the session is saved again") {
		t.Errorf("told %q", told)
	}
	if status := seen[StatusChanged](r.bench); status[len(status)-1].Status.Unsaved {
		t.Error("the status shows it as behind")
	}
}
