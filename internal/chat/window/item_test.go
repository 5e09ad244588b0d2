package window_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/settings"
)

// The items of the context are listed, the largest first, with age and number of requests. Pruning
// an answer leaves a placeholder and a line in the ledger, with every strategy.
func TestItemsAndPruning(t *testing.T) {
	t.Parallel()
	for _, strategy := range compression.Names() {
		t.Run(strategy, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 0)
			b.set(settings.CompressionStrategy, strategy)
			b.add(history.New(history.Human, &history.Text{Text: "look at a"}))
			b.pair("1", "read_file", "a", wordy(500))
			b.add(history.New(history.Human, &history.Text{Text: "and at b"}))
			b.pair("2", "read_file", "b", wordy(50))
			b.add(history.New(history.AI, &history.Text{Text: "I see"}))
			items := b.items()
			var listed []string
			for _, item := range items {
				listed = append(listed, fmt.Sprintf("%s %s %d %d", item.Kind, item.Path, item.Turns, item.Sent))
			}
			want := "read_file /w/a 1 2|read_file /w/b 0 1|you  1 3|you  0 2|reply  0 0"
			if got := strings.Join(listed, "|"); got != want {
				t.Fatalf("listed are %s, want %s", got, want)
			}
			if _, err := b.Pins.Pin("a", true); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Contents.PruneItem(b.items()[0]); err == nil || !strings.Contains(err.Error(), "pinned") {
				t.Errorf("a pinned file: %v", err)
			}
			if _, err := b.Pins.Pin("a", false); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Contents.PruneItem(items[2]); err == nil || !strings.Contains(err.Error(), "only tool results") {
				t.Errorf("a message: %v", err)
			}
			freed, err := b.Contents.PruneItem(items[0])
			if err != nil || freed < 400 {
				t.Fatalf("%d tokens, %v", freed, err)
			}
			if got := b.items(); got[0].Path != "/w/b" || !strings.Contains(fmt.Sprint(got), "[pruned: 1 line") {
				t.Errorf("afterwards there are %v", got)
			}
			if ledger := b.Ledger.Lines(); len(ledger) != 1 || ledger[0].Reason != "pruned by you" || ledger[0].Tokens < 400 {
				t.Errorf("the ledger is %+v", ledger)
			}
			if _, err := b.Contents.PruneItem(items[0]); err == nil || !strings.Contains(err.Error(), "already removed") {
				t.Errorf("once more: %v", err)
			}
			s, err := b.ActiveStrategy()
			if err != nil {
				t.Fatal(err)
			}
			if err := b.Pruning.EnsureDensityOptimized(s); err != nil { // the strategy follows
				t.Error(err)
			}
		})
	}
}

// Providers reuse the IDs of calls (D-11). Each answer belongs to its own call, and is pruned
// separately.
func TestItemsWithOneID(t *testing.T) {
	t.Parallel()
	b := newBench(t, 0)
	b.pair("1", "read_file", "a", wordy(500))
	b.pair("1", "read_file", "b", wordy(100))
	items := b.items()
	if len(items) != 2 || items[0].Path != "/w/a" || items[0].Tokens < 500 || items[1].Tokens > 200 {
		t.Fatalf("listed are %+v", items)
	}
	if _, err := b.Contents.PruneItem(items[1]); err != nil {
		t.Fatal(err)
	}
	if got := b.items(); got[0].Path != "/w/a" || got[0].Tokens < 500 || !strings.Contains(got[1].Text, "[pruned: ") {
		t.Errorf("afterwards there are %+v", got)
	}
}

// items returns the items after the system prompt and the tools.
func (b *bench) items() []window.Item {
	return slices.DeleteFunc(b.Contents.Items(), func(i window.Item) bool { return i.Head })
}

// The sizes of the items add up to the size of the next request, for any content and any scale of
// the provider. The parts of the system prompt and the tools come first, one row each.
func TestItemsAddUp(t *testing.T) {
	t.Parallel()
	for _, strategy := range compression.Names() {
		t.Run(strategy, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				b := newBench(rt, 0)
				b.set(settings.CompressionStrategy, strategy)
				b.head = window.Head{
					System: "You work.\n\n# How to work\n\nwith care\n\n# Instructions from /w/AGENTS.md\n\n# Style\n\nbe brief\n\n# Instructions from /w/b/AGENTS.md\n\nbe kind\n\n# Notes\n\nthe tests are slow\n",
					Tools:  []llm.ToolSpec{{Name: "read_file", Description: "reads a file", Schema: []byte(`{}`)}},
				}
				b.Measure.Calibrate(map[string]float64{"test-model": rapid.Float64Range(0.5, 2).Draw(rt, "scale")})
				for i := range rapid.IntRange(0, 8).Draw(rt, "entries") {
					text := wordy(rapid.IntRange(1, 50).Draw(rt, "words"))
					switch rapid.IntRange(0, 4).Draw(rt, "kind") {
					case 0:
						b.add(history.New(history.Human, &history.Text{Text: text}))
					case 1:
						b.add(history.New(history.AI, &history.Thinking{Thought: text}, &history.Text{Text: text}))
					case 2:
						b.add(history.New(history.AI, &history.Thinking{Thought: text}))
					default:
						b.pair(fmt.Sprint(i%3), "read_file", fmt.Sprint(i), text)
					}
				}
				items, sum := b.Contents.Items(), 0
				var head []string
				for _, item := range items {
					sum += item.Tokens
					if item.Head {
						head = append(head, item.Kind+" "+item.Subject)
					}
				}
				if total := b.Usage().Total(); sum != total {
					rt.Errorf("the rows add up to %d of %d tokens: %+v", sum, total, items)
				}
				if got := strings.Join(head, "|"); got != "prompt |tools 1 definition|instructions AGENTS.md|instructions b/AGENTS.md|notes " || !items[len(head)-1].Head {
					rt.Errorf("the head is %s", got)
				}
				if _, err := b.Contents.PruneItem(items[0]); err == nil {
					rt.Error("the prompt was let go")
				}
			})
		})
	}
}
