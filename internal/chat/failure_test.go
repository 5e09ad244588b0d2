package chat

import (
	"errors"
	"strings"
	"testing"

	"agent/internal/compression"
	"agent/internal/history"
)

// TestS08FailuresReachTheUser covers S-08, REQ-HD-013.1, REQ-HD-013.2, REQ-HD-013.3,
// REQ-HD-013.4, ERR-002, ERR-003, ERR-020, ERR-021 and D-31.
func TestS08FailuresReachTheUser(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	t.Run("optimise", func(t *testing.T) {
		t.Parallel()
		b := newBench(t)
		b.record(history.HumanText("go"))
		failing := &optimizeCounter{Strategy: highDensity(t), err: boom}
		if err := b.window.EnsureDensityOptimized(failing); !errors.Is(err, boom) {
			t.Fatal(err)
		}
		if err := b.window.EnsureDensityOptimized(failing); err != nil || failing.calls != 1 {
			t.Errorf("REQ-HD-002.7: a failed optimisation counts as run: %v, %d calls", err, failing.calls)
		}
	})
	t.Run("apply", func(t *testing.T) {
		t.Parallel()
		b := newBench(t)
		b.record(history.HumanText("go"))
		wrong := &optimizeCounter{Strategy: highDensity(t), result: history.DensityResult{Removals: []int{7}}}
		var refused *history.DensityError
		if err := b.window.EnsureDensityOptimized(wrong); !errors.As(err, &refused) {
			t.Fatal(err)
		}
		if b.History.Len() != 1 {
			t.Error("the history changed")
		}
	})
	t.Run("record of the edit", func(t *testing.T) {
		t.Parallel()
		b := newBench(t)
		// REQ-HD-013.3, ERR-020, ERR-021: counting is part of the edit and cannot fail
		// (D-01); what can is the record of it. The totals are right all the same.
		b.keep(history.NewService(words{}, func(m history.Mutation) error {
			if m.Kind == history.MutationDensity {
				return boom
			}
			return nil
		}))
		b.record(history.HumanText("go"))
		b.record(history.HumanText(wordy(50)))
		dropping := &optimizeCounter{Strategy: highDensity(t), result: history.DensityResult{Removals: []int{1}}}
		if err := b.window.EnsureDensityOptimized(dropping); !errors.Is(err, boom) {
			t.Fatal(err)
		}
		if got, want := b.History.TotalTokens(), b.History.CountContent(history.HumanText("go")); got != want {
			t.Errorf("%d tokens, want %d", got, want)
		}
	})
	t.Run("compress", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, say("ok"))
		b.record(history.HumanText("go"))
		failing := failingCompress{highDensity(t), boom}
		err := b.window.PerformCompression(t.Context(), failing)
		if !errors.Is(err, boom) || !strings.Contains(err.Error(), "your message is kept") {
			t.Fatal(err)
		}
		if b.History.Len() != 1 || len(seen[Compressed](b)) != 0 {
			t.Error("REQ-HD-013.4: something else was done instead")
		}
		if out, err := b.prompt("again"); err != nil || out.Response != "ok" {
			t.Errorf("the next message does not work: %+v %v", out, err)
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

// A disk that takes nothing is said once, shown as long as it lasts, and ends no turn.
func TestUnsavedIsSaidOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("ls", `{}`), say("one"), say("two"), say("three"))
	behind := errors.New("the session is not saved")
	b.Unsaved = func() error { return behind }
	for _, text := range []string{"a", "b"} {
		if out, err := b.prompt(text); err != nil || out.Stop != StopDone {
			t.Fatalf("%+v %v", out, err)
		}
	}
	if status := seen[StatusChanged](b); !status[len(status)-1].Status.Unsaved {
		t.Error("the status shows it as saved")
	}
	behind = nil
	if _, err := b.prompt("c"); err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, n := range seen[Notice](b) {
		told = append(told, n.Text)
	}
	if len(told) != 2 || !strings.HasPrefix(told[0], "the session is not saved; the conversation goes on") || !strings.HasPrefix(told[1], "the session is saved again") {
		t.Errorf("told %q", told)
	}
	if status := seen[StatusChanged](b); status[len(status)-1].Status.Unsaved {
		t.Error("the status shows it as behind")
	}
}
