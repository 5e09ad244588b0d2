package window_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/settings"
)

// fill adds n turns of about 110 tokens each.
func (b *bench) fill(n int) {
	b.t.Helper()
	for i := range n {
		b.say("go on")
		b.pair(fmt.Sprint(i), "read_file", fmt.Sprint(i), wordy(90))
	}
}

// At the threshold, a failed summary ends the send. The error names a way out, and the history
// stays unchanged (ERR-004, D-31).
func TestSummaryFailsAtTheThreshold_ERR004(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*bench){
		"failing":   func(b *bench) { b.failure = errBoom },
		"empty":     func(b *bench) { b.summary = "" },
		"malformed": func(b *bench) { b.summary = "Here you are." },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 10_000)
			b.set(settings.CompressionStrategy, "one-shot")
			b.set(settings.CompressionThreshold, 0.05)
			b.fill(10)
			before := b.History.RawHistory()
			spoil(b)
			err := b.tryFit()
			var useless *compression.SummaryError
			if !errors.As(err, &useless) || !strings.Contains(err.Error(), "/set compression-strategy high-density") || len(b.steps) != 0 {
				t.Fatalf("%v, told %v", err, b.steps)
			}
			after := b.History.RawHistory()
			for i := range before {
				if len(after) != len(before) || after[i] != before[i] {
					t.Fatal("the history changed")
				}
			}
			// A retry requests another summary, whatever the first result was.
			b.summary, b.failure = "<state_snapshot>short</state_snapshot>", nil
			if b.fit(); b.asked != 2 || b.CompressionCount() != 1 {
				t.Errorf("asked %d times, %d compressions", b.asked, b.CompressionCount())
			}
		})
	}
}

// At the hard limit, one urgent summary is requested (D-30). Its failure is reported, and the
// fallback steps continue. It is not requested again before every request.
func TestSummaryFailsAtTheHardLimit_D30(t *testing.T) {
	t.Parallel()
	b := newBench(t, 2000)
	b.set(settings.CompressionStrategy, "middle-out")
	b.failure = errBoom
	b.fill(20)
	b.fit()
	failed := told[window.Compression](b)
	if b.asked != 1 || !b.urgencies[0].Hard || b.urgencies[0].Refused || !failed[0].Failed || failed[0].Applied || len(failed) < 2 || !failed[1].Applied {
		t.Fatalf("asked %d times, %v, told %+v", b.asked, b.urgencies, failed)
	}
	for i := range 9 {
		b.pair(fmt.Sprint("x", i), "read_file", fmt.Sprint("x", i), wordy(400))
		b.fit()
	}
	if b.asked != 1 {
		t.Errorf("asked %d times", b.asked)
	}
	b.failure = nil
	b.fill(20)
	if b.fit(); b.asked != 2 {
		t.Errorf("asked %d times, after twenty entries more", b.asked)
	}
}

// After a refusal, the summary request has the flag Refused. The owner of the window decides how to
// use it (S-12).
func TestSummaryAfterARefusal_S12(t *testing.T) {
	t.Parallel()
	b := newBench(t, 10_000)
	b.set(settings.CompressionStrategy, "one-shot")
	b.fill(20)
	b.fit()
	b.RecordRefusal(0, 0)
	b.fit()
	b.fill(40)
	b.fit()
	if len(b.urgencies) != 2 || b.urgencies[0] != (window.Urgency{Hard: true, Refused: true}) || b.urgencies[1].Refused {
		t.Errorf("asked with %+v", b.urgencies)
	}
}

// A summary that saves no tokens is not requested again at once (D-28).
func TestUselessSummary_D28(t *testing.T) {
	t.Parallel()
	b := newBench(t, 10_000)
	b.set(settings.CompressionStrategy, "one-shot")
	b.set(settings.CompressionThreshold, 0.05)
	b.summary = "<state_snapshot>" + wordy(3000) + "</state_snapshot>"
	b.fill(10)
	b.fit()
	b.say("more")
	b.fit()
	if steps := told[window.Compression](b); b.asked != 1 || len(steps) != 1 || steps[0].Applied || !strings.Contains(steps[0].Reason, "took 77") {
		t.Fatalf("asked %d times, told %+v", b.asked, steps)
	}
	// An explicit request still makes a summary.
	if _, err := b.Compress(t.Context()); err != nil || b.asked != 2 {
		t.Errorf("asked %d times, %v", b.asked, err)
	}
}

// A panic during a summary becomes an error, and the history stays unchanged.
func TestSummarizerPanics(t *testing.T) {
	t.Parallel()
	b := newBench(t, 10_000)
	b.set(settings.CompressionStrategy, "one-shot")
	b.fill(10)
	b.connect = func() (*compression.Summarizer, func(), error) { panic("boom") }
	if _, err := b.Compress(t.Context()); err == nil || !strings.Contains(err.Error(), "internal error") {
		t.Errorf("%v", err)
	}
	b.say("still there")
}
