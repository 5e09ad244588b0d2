package chat

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"agent/internal/chat/rewind"
	"agent/internal/history"
)

// holds counts the context entries that contain a text.
func (b *bench) holds(text string) int {
	n := 0
	for _, entry := range b.config.History.RawHistory() {
		if strings.Contains(strings.Join(allText([]*history.Content{entry}), ""), text) {
			n++
		}
	}
	return n
}

// Restored content becomes the newest entry, survives a resume, and is not a user message. Density
// never prunes it again, with any phase enabled.
func TestRestorePrunedContent(t *testing.T) {
	t.Parallel()
	for _, strategy := range []string{"high-density", "cache-aware"} {
		t.Run(strategy, func(t *testing.T) {
			t.Parallel()
			r := newLogged(t)
			r.model.next = func(int) answerFunc { return say("ok") }
			r.set("compression.density.recencyPruning", "true")
			r.set("compression.density.recencyRetention", "1")
			if _, err := r.prompt("go"); err != nil {
				t.Fatal(err)
			}
			r.pair("1", "read_file", "a.go", "treasure "+wordy(100))
			r.pair("2", "write_file", "a.go", "ok")
			if _, err := r.prompt("more"); err != nil {
				t.Fatal(err)
			}
			if r.holds("treasure") > 0 {
				t.Fatal("nothing was pruned")
			}
			r.set("compression.strategy", strategy)
			serve(t, r.bench, func(ctx context.Context) {
				tokens, err := r.Past.RestoreContent(ctx, 1)
				if err != nil || tokens < 100 {
					t.Errorf("%d, %v", tokens, err)
				}
			})
			check := func(when string) {
				raw := r.config.History.RawHistory()
				if n := r.holds("treasure"); n != 1 {
					t.Errorf("%s: %d entries hold it", when, n)
				}
				for _, entry := range raw {
					if entry.Metadata[history.MetaRestored] != nil && (entry.IsMessage() || !strings.Contains(entry.Text(), "1: read_file a.go, as of turn 1") || !strings.Contains(entry.Text(), "a.go was changed since")) {
						t.Errorf("%s: %q", when, entry.Text())
					}
				}
			}
			check("at once")
			for i := range 4 {
				r.pair(fmt.Sprint("w", i), "write_file", "a.go", "ok")
				if _, err := r.prompt("on"); err != nil {
					t.Fatal(err)
				}
			}
			check("after more turns")
			turn := r.window.Ledger.Lines()
			r.again()
			check("after a resume")
			if _, err := r.prompt("on"); err != nil {
				t.Fatal(err)
			}
			check("after a turn of the resumed session")
			if len(r.window.Ledger.Lines()) < len(turn) {
				t.Error("the ledger shrank")
			}
		})
	}
}

// serve runs act while a goroutine serves the inbox of the chat.
func serve(t *testing.T, b *bench, act func(ctx context.Context)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); b.Chat.Run(ctx) }()
	act(ctx)
	cancel()
	<-done
}

// Content that can't be restored gives an error and changes nothing.
func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	r := newLogged(t)
	r.model.next = func(int) answerFunc { return say("ok") }
	if _, err := r.prompt("go"); err != nil {
		t.Fatal(err)
	}
	r.pair("1", "read_file", "a.go", wordy(5000))
	r.pair("2", "write_file", "a.go", "ok")
	if _, err := r.prompt("on"); err != nil {
		t.Fatal(err)
	}
	r.set("context-limit", "4000")
	before := len(r.config.History.RawHistory())
	serve(t, r.bench, func(ctx context.Context) {
		for number, want := range map[int]string{1: "its 5k tokens", 0: "can't recall 0", 2: "1 to 1", -3: "can't recall -3"} {
			if _, err := r.Past.RestoreContent(ctx, number); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%d: %v", number, err)
			}
		}
	})
	if len(r.config.History.RawHistory()) != before {
		t.Error("something was added")
	}
	b := newBench(t)
	if err := b.resume(nil, []PruneRecord{{Subject: "a"}}); err != nil {
		t.Fatal(err)
	}
	serve(t, b, func(ctx context.Context) {
		if _, err := b.Past.RestoreContent(ctx, 1); !errors.Is(err, rewind.ErrNotRecorded) {
			t.Errorf("without a record: %v", err)
		}
	})
}
