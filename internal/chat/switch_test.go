package chat

import (
	"fmt"
	"strings"
	"testing"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/settings"
)

// TestS10UnknownStrategy covers S-10. An unknown strategy is refused when it is set or loaded. The
// error lists the valid ones, and the present strategy stays.
func TestS10UnknownStrategy(t *testing.T) {
	t.Parallel()
	b := newBench(t, say("ok"))
	for _, layer := range []settings.Source{settings.LayerProfile, settings.LayerSession} {
		err := b.config.Settings.Set(layer, "compression.strategy", "zip")
		if err == nil || !strings.Contains(err.Error(), strings.Join(compression.Names(), ", ")) {
			t.Errorf("%v", err)
		}
	}
	if _, err := b.prompt("go"); err != nil || settings.CompressionStrategy.Value(b.config.Settings) != compression.DefaultName {
		t.Errorf("%v, strategy %s", err, settings.CompressionStrategy.Value(b.config.Settings))
	}
}

// TestS11StrategyChangedBetweenTurns covers S-11.
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
	if err := b.config.Settings.Set(settings.LayerSession, "compression.strategy", "High-Density"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.prepare(); err != nil || len(seen[DensityApplied](b)) != 1 {
		t.Fatalf("density did not run at the next send: %v", err)
	}
}

// TestSwitchBetweenTurns checks that another model counts again with its own vocabulary, ratio and
// context window. The next request is made for it.
func TestSwitchBetweenTurns(t *testing.T) {
	t.Parallel()
	b := newBench(t, respond(llm.Text{Delta: "one"}, llm.Usage{PromptTokens: 30}, llm.Finish{Reason: "stop"}), say("two"))
	b.config.Counter = func(model string) history.Counter {
		if model == "small" {
			return letters{}
		}
		return wordCount{}
	}
	b.renew()
	b.at.windows = map[string]int{"small": 3000}
	for i := range 6 {
		b.pair(fmt.Sprint(i), "read_file", fmt.Sprint(i), wordy(400))
	}
	if _, err := b.prompt("go"); err != nil || len(seen[Compressed](b)) != 0 {
		t.Fatalf("%v, told %q", err, seen[Compressed](b))
	}
	b.set("model", "small")
	b.set("temperature", "0.5")
	if _, err := b.prompt("on"); err != nil {
		t.Fatal(err)
	}
	last := b.model.requests[1]
	total := letters{}.Count(last.System)
	for _, tool := range last.Tools {
		total += letters{}.Count(tool.Name + tool.Description + string(tool.Schema))
	}
	for _, e := range last.History {
		total += history.NewService(letters{}, nil).CountContent(e)
	}
	if last.Model != "small" || *last.Temperature != 0.5 || total+750 > 3000 || len(seen[Compressed](b)) == 0 {
		t.Errorf("sent %d tokens to %s, told %q", total, last.Model, seen[Compressed](b))
	}
	// By now the history contains the reply.
	if got, want := b.window.Measure.Tokens(), total+history.NewService(letters{}, nil).CountContent(history.New(history.AI, &history.Text{Text: "two"})); got != want {
		t.Errorf("%d tokens, want %d by the new vocabulary and no ratio", got, want)
	}
}
