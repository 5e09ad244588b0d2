package window_test

import (
	"errors"
	"reflect"
	"testing"

	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/settings"
)

// TestS01DensityComesBeforeTheThreshold covers S-01 and S-05, REQ-HD-002.1, REQ-HD-002.4,
// BR-THRESH-005 and D-49. The threshold is compared with the context after density pruning, and the
// pruned tokens are reported.
func TestS01DensityComesBeforeTheThreshold(t *testing.T) {
	t.Parallel()
	b := newBench(t, 2000)
	b.set(settings.MaxOutputTokens, 10)
	b.say("go")
	b.pair("r", "read_file", "a", wordy(1900))
	b.pair("w", "write_file", "a", "written")
	b.Ledger.NextTurn()
	before := b.Measure.Tokens()
	b.fit()
	if got := b.names(); len(got) != 1 || got[0] != "density" {
		t.Fatalf("S-05: done %q", got)
	}
	scratch := b.overhead()
	for _, e := range b.History.RawHistory() {
		scratch += b.History.CountContent(e)
	}
	density := told[window.Density](b)[0]
	if density.TokensBefore != before || density.TokensAfter != scratch || b.Measure.Tokens() != scratch || density.Limit != 2000 {
		t.Errorf("REQ-HD-002.4: %+v, %d tokens from scratch", density, scratch)
	}
	if density.Metadata.CountOf("stale-read") != 1 || b.History.Len() != 3 {
		t.Errorf("counts %v, %d entries are left", density.Metadata, b.History.Len())
	}
	ledger := b.Ledger.Lines()
	if len(ledger) != 1 || len(density.Prunes) != 1 || !reflect.DeepEqual(ledger[0], density.Prunes[0]) {
		t.Fatalf("ledger %+v, told %+v", ledger, density.Prunes)
	}
	if p := ledger[0]; p.Tokens != before-scratch || p.Subject != "a" || p.Turn != 1 || p.At.Unix() != 1 || b.Ledger.PrunedTokens() != p.Tokens {
		t.Errorf("ledger %+v, freed %d", p, b.Ledger.PrunedTokens())
	}
	// A recorded number is fixed. A later calibration changes none of them.
	written := b.Ledger.PrunedTokens()
	b.Measure.Calibrate(map[string]float64{"test-model": 1.3})
	if usage, now := b.Usage().Freed, b.Ledger.Lines()[0].Tokens; b.Ledger.PrunedTokens() != written || usage != written || now != written || density.PrunedTokens() != written {
		t.Errorf("freed %d, then %d, in the usage %d, in the ledger %d, told %d", written, b.Ledger.PrunedTokens(), usage, now, density.PrunedTokens())
	}
}

// TestS02StrategyWithoutOptimize covers S-02 and REQ-HD-002.2.
func TestS02StrategyWithoutOptimize(t *testing.T) {
	t.Parallel()
	b := newBench(t, 0)
	b.set(settings.CompressionStrategy, "top-down-truncation")
	b.say("go")
	b.pair("r", "read_file", "a", wordy(50))
	b.pair("w", "write_file", "a", "written")
	if b.fit(); len(b.names()) != 0 {
		t.Fatalf("done %q", b.names())
	}
}

// TestDirtyFlag covers S-03 and S-04, REQ-HD-002.3, REQ-HD-002.5, REQ-HD-002.6 and
// REQ-HD-002.7.
func TestDirtyFlag(t *testing.T) {
	t.Parallel()
	b := newBench(t, 0)
	counting := &optimizeCounter{Strategy: highDensity(t)}
	b.strategies[compression.DefaultName] = counting
	for _, s := range []struct {
		name string
		do   func()
		want int
	}{
		{"S-04 empty result", func() { b.say("one") }, 1},
		{"S-03 nothing new", func() {}, 1},
		{"REQ-HD-002.6 new content", func() { b.say("two") }, 2},
		{"REQ-HD-002.6 a compression", func() {
			if _, err := b.Compress(t.Context()); err != nil {
				t.Fatal(err)
			}
		}, 2},
		{"REQ-HD-002.6 a recount", func() { b.History.RecalculateTotalTokens() }, 2},
		{"REQ-HD-002.7 a failure", func() { b.say("three"); counting.err = errBoom }, 3},
		{"REQ-HD-002.7 after it", func() { counting.err = nil }, 3},
	} {
		s.do()
		if err := b.Pruning.EnsureDensityOptimized(counting); !errors.Is(err, counting.err) {
			t.Fatal(err)
		}
		if counting.calls != s.want {
			t.Errorf("%s: optimised %d times, want %d", s.name, counting.calls, s.want)
		}
	}
	if len(told[window.Density](b)) != 0 {
		t.Error("REQ-HD-002.5: an empty result was applied")
	}
}

// TestOptimizeSeesTheRawHistory covers REQ-HD-002.9. The strategy receives empty entries too, which
// are never sent, and the indices of its result count them. It also receives the settings
// (REQ-HD-001.9).
func TestOptimizeSeesTheRawHistory(t *testing.T) {
	t.Parallel()
	b := newBench(t, 0)
	b.set(densityKey("fileDedupe"), false)
	b.set(densityKey("recencyRetention"), 7)
	b.add(history.New(history.AI, &history.Thinking{Thought: "hm"}))
	b.say("drop me")
	b.say("keep me")
	dropping := &optimizeCounter{Strategy: highDensity(t), result: history.DensityResult{Removals: []int{1}}}
	if err := b.Pruning.EnsureDensityOptimized(dropping); err != nil {
		t.Fatal(err)
	}
	if len(dropping.given) != 3 || !dropping.given[0].Empty() {
		t.Errorf("it was given %d entries", len(dropping.given))
	}
	if left := b.History.RawHistory(); len(left) != 2 || left[1].Text() != "keep me" {
		t.Errorf("left are %v", left)
	}
	c := dropping.config
	if !c.Switches["readWritePruning"] || c.Numbers["recencyRetention"] != 7 || c.WorkspaceRoot != "/w" || !c.Facts("read_file").ShowsFile() {
		t.Errorf("configured %+v", c)
	}
}

// TestEmergencyOptimizes_REQ_HD_002_8 covers REQ-HD-002.8. Above the hard limit density runs even
// without new entries, and before any stronger step.
func TestEmergencyOptimizes_REQ_HD_002_8(t *testing.T) {
	t.Parallel()
	b := newBench(t, 0)
	counting := &optimizeCounter{Strategy: highDensity(t)}
	b.strategies[compression.DefaultName] = counting
	b.say("go")
	b.pair("r", "read_file", "a", wordy(2000))
	b.pair("w", "write_file", "a", "written")
	if b.fit(); counting.calls != 1 || len(b.names()) != 0 {
		t.Fatalf("optimised %d times, done %q", counting.calls, b.names())
	}
	delete(b.strategies, compression.DefaultName)
	b.set(settings.ContextLimit, 2100)
	if b.fit(); len(b.names()) != 1 || b.names()[0] != "density" || b.CompressionCount() != 0 {
		t.Errorf("done %q, %d compressions; density alone would do", b.names(), b.CompressionCount())
	}
}

// TestRestoredLedger checks that a resume restores the pruned tokens, and that /clear resets them
// (D-49).
func TestRestoredLedger(t *testing.T) {
	t.Parallel()
	b := newBench(t, 0)
	b.Ledger.Restore([]window.Prune{{Subject: "a", Tokens: 30}, {Subject: "b", Tokens: 12}, {Kind: compression.PruneDropped, Subject: "c", Tokens: 9}}, 3)
	if b.Ledger.PrunedTokens() != 42 || len(b.Ledger.Lines()) != 3 || b.Usage().Freed != 42 {
		t.Errorf("freed %d, ledger %v", b.Ledger.PrunedTokens(), b.Ledger.Lines())
	}
	if b.Reset(); b.Ledger.PrunedTokens() != 0 || len(b.Ledger.Lines()) != 0 {
		t.Errorf("freed %d, ledger %v", b.Ledger.PrunedTokens(), b.Ledger.Lines())
	}
}

// TestPrunedIsDensityAlone_D49 checks that a compression does not count as density pruning.
func TestPrunedIsDensityAlone_D49(t *testing.T) {
	t.Parallel()
	b := newBench(t, 2000)
	b.say("go")
	for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
		b.pair(id, "read_file", id, wordy(300))
	}
	if b.fit(); b.Ledger.PrunedTokens() != 0 || b.CompressionCount() != 1 {
		t.Errorf("density freed %d tokens in %q", b.Ledger.PrunedTokens(), b.names())
	}
}
