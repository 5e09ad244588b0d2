package window_test

import (
	"fmt"
	"strings"
	"testing"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/settings"
)

// Each thing in the context is listed, the largest first, with its age and how often it was sent; an
// answer that is let go leaves a pointer and a line of the ledger, with every strategy.
func TestItemsAndLettingGo(t *testing.T) {
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
			items := b.Contents.Items()
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
			if _, err := b.Contents.LetGo(b.Contents.Items()[0]); err == nil || !strings.Contains(err.Error(), "pinned") {
				t.Errorf("a pinned file: %v", err)
			}
			if _, err := b.Pins.Pin("a", false); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Contents.LetGo(items[2]); err == nil || !strings.Contains(err.Error(), "only answers") {
				t.Errorf("a message: %v", err)
			}
			freed, err := b.Contents.LetGo(items[0])
			if err != nil || freed < 400 {
				t.Fatalf("%d tokens, %v", freed, err)
			}
			if got := b.Contents.Items(); got[0].Path != "/w/b" || !strings.Contains(fmt.Sprint(got), "[pruned: 1 line") {
				t.Errorf("afterwards there are %v", got)
			}
			if ledger := b.Ledger.Lines(); len(ledger) != 1 || ledger[0].Reason != "you let it go" || ledger[0].Tokens < 400 {
				t.Errorf("the ledger is %+v", ledger)
			}
			if _, err := b.Contents.LetGo(items[0]); err == nil || !strings.Contains(err.Error(), "left already") {
				t.Errorf("once more: %v", err)
			}
			s, err := b.Active()
			if err != nil {
				t.Fatal(err)
			}
			if err := b.Pruning.EnsureDensityOptimized(s); err != nil { // the engine follows
				t.Error(err)
			}
		})
	}
}

// Providers use the ids of calls again (D-11): each answer belongs to its own call, and is let go by
// itself.
func TestItemsWithOneID(t *testing.T) {
	t.Parallel()
	b := newBench(t, 0)
	b.pair("1", "read_file", "a", wordy(500))
	b.pair("1", "read_file", "b", wordy(100))
	items := b.Contents.Items()
	if len(items) != 2 || items[0].Path != "/w/a" || items[0].Tokens < 500 || items[1].Tokens > 200 {
		t.Fatalf("listed are %+v", items)
	}
	if _, err := b.Contents.LetGo(items[1]); err != nil {
		t.Fatal(err)
	}
	if got := b.Contents.Items(); got[0].Path != "/w/a" || got[0].Tokens < 500 || !strings.Contains(got[1].Text, "[pruned: ") {
		t.Errorf("afterwards there are %+v", got)
	}
}
