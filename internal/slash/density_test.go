package slash_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"agent/internal/chat"
	"agent/internal/chat/provenance"
	"agent/internal/chat/window"
	"agent/internal/history"
)

// addPrices fills the session with two cuts, a compression, and parts that wait for pruning.
func addPrices(w *world) {
	at := time.Date(2026, 11, 21, 12, 5, 7, 0, time.UTC)
	first, second := &history.PruningCost{Paid: 690, Saves: 88, Back: 8, Bank: 1200, Request: 41}, &history.PruningCost{Paid: -50, Saves: 10, Request: 60}
	root := w.deps.Workspace
	w.session.ledger = []chat.PruneRecord{
		{Kind: "cold", Subject: root + "/a.go", Paths: []string{root + "/a.go"}, Tool: "read_file", Reason: "view, not used for 31 requests", Tokens: 4000, Turn: 2, At: at, Cut: first},
		{Kind: "soft", Subject: "go test ./...", Tool: "run_shell_command", Reason: "output, not used for 3 requests", Tokens: 400, Turn: 2, At: at, Cut: first},
		{Kind: "free", Subject: root + "/a.go", Paths: []string{root + "/a.go"}, Tool: "read_file", Reason: "view, removed without loss", Tokens: 100, Turn: 3, At: at, Cut: second},
		{Kind: "dropped", Subject: "message: hello", Reason: "dropped to free tokens (context limit)", Tokens: 7, Turn: 4, At: at},
	}
	w.session.held = []chat.PrunablePart{
		{Kind: "view", Class: "part", Subject: root + "/a.go", Tokens: 2000, Waiting: true, Reason: "not used for 40 requests; kept until pruning saves more than it costs"},
		{Kind: "view", Class: "whole", Subject: root + "/b.go", Tokens: 1000, Pinned: true, Reason: "pinned"},
		{Kind: "view", Class: "whole", Subject: root + "/c.go", Tokens: 500, Reason: "used 2 requests ago; kept until unused for 100"},
	}
	w.session.known, w.session.pinned = []string{root + "/a.go", root + "/b.go"}, []string{root + "/b.go"}
}

// Each cut is listed with its cost and the request at which it pays back. Each part that is held
// back has a reason.
func TestDensityListsCutsAndHeldParts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	addPrices(w)
	const want = `#  turn  time   tokens  content and reason
before request 41: 2 parts, 4.4k tokens; costs 690 tokens now, saves 88 per request, pays back by request 49
1     2  12:05      4k  a.go: view, not used for 31 requests
2     2  12:05     400  go test ./...: output, not used for 3 requests
before request 60: 1 part, 100 tokens; saves at once
3     3  12:05     100  a.go: view, removed without loss
4     4  12:05       7  message: hello: dropped to free tokens (context limit)

3 parts pruned, 4.5k tokens; 1 part compressed
Also: /density all, explain, show, restore, why, pin, unpin

Still in the context: 2 parts, 3k tokens
    2k  a.go: not used for 40 requests; kept until pruning saves more than it costs
    1k  b.go: pinned`
	if got := text(w.run(t, "/density all")); got != want {
		t.Errorf("/density all shows\n%s\nwant\n%s", got, want)
	}
}

// For each request with an event, the view compares the cost with the cost without pruning, in
// money if prices are known.
func TestDensityComparesCosts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	addPrices(w)
	w.session.story = chat.CostComparison{Dollars: 0.00001, Bills: []chat.RequestCost{
		{Request: 1, Tokens: 9000, All: 9000, Spent: 11250, None: 11250, Cold: true},
		{Request: 2, Tokens: 9500, All: 9500, Spent: 1500, None: 1500},
		{Request: 41, Tokens: 30_000, All: 34_400, Spent: 5000, None: 4000},
		{Request: 42, Tokens: 31_000, All: 36_000, Spent: 3500, None: 4100, Again: []string{"/w/a.go"}},
		{Request: 43, Tokens: 32_000, All: 37_000, Spent: 3600, None: 4200},
	}}
	const want = `5 requests: $0.25, 99% of the cost without pruning ($0.25); the cache expired 1 time
request  sent  of tokens  input cost  unpruned
      1    9k         9k       $0.11     $0.11  cache expired
     41   30k      34.4k       $0.05     $0.04  4.4k pruned
     42   31k        36k      $0.035    $0.041  a.go read again
     43   32k        37k      $0.036    $0.042
`
	got := text(w.run(t, "/density"))
	if !strings.HasPrefix(got, want) {
		t.Errorf("shows\n%s\nwant\n%s", got, want)
	}
	// The total equals the total of /stats, and both show a loss as a loss.
	w.session.stats.Requests, w.session.stats.Cost = 5, 0.82
	w.session.stats.Saving = chat.Saving{Tokens: 9000, Without: 25_000, Saved: -2000, Cost: -0.02}
	if got := text(w.run(t, "/density")); !strings.HasPrefix(got, "5 requests: $0.82, 102% of the cost without pruning ($0.80)") {
		t.Errorf("shows\n%s", got)
	}
	if got := text(w.run(t, "/stats")); !strings.Contains(got, "$0.82") || !strings.Contains(got, "lost $0.02") || strings.Contains(got, "saved") {
		t.Errorf("shows\n%s", got)
	}
	w.session.story.Dollars, w.session.story.Shortfalls = 0, true
	if got := text(w.run(t, "/density")); !strings.Contains(got, "24.9k tokens at full price, 99% of the cost without pruning (25.1k)") || !strings.Contains(got, "only the end of the latest request") {
		t.Errorf("without prices\n%s", got)
	}
}

// After a long session the view still fits a screen of 24 lines and 80 columns. It prints the
// number of omitted lines of each kind.
func TestDensityFitsOneScreen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	addPrices(w)
	once := w.session.ledger
	for range 30 {
		w.session.ledger = append(w.session.ledger, once...)
	}
	for i := range 40 {
		w.session.story.Bills = append(w.session.story.Bills, chat.RequestCost{Request: i + 1, Tokens: 30_000, All: 40_000, Spent: 5000, None: 6000, Cold: i%2 == 0, Again: []string{"/w/a.go"}})
	}
	lines := strings.Split(text(w.run(t, "/density")), "\n")
	if len(lines) > 18 {
		t.Errorf("%d lines:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	for _, line := range lines[1:] { // the first line is text that wraps
		if len([]rune(line)) > 80 {
			t.Errorf("wider than 80 columns: %s", line)
		}
	}
	for _, want := range []string{"34 unusual requests not shown", "120 not shown", "/density all", "Still in the context: 2 parts, 3k tokens"} {
		if !strings.Contains(strings.Join(lines, "\n"), want) {
			t.Errorf("%q is missing in\n%s", want, strings.Join(lines, "\n"))
		}
	}
}

// /density explain shows the cost of the next request, the content it would prune and the reasons, and
// the parts that are held back. It has at most 18 lines of 60 columns, without the lines of text.
func TestDensityExplainsTheNextRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	root := w.deps.Workspace
	w.session.story = chat.CostComparison{Dollars: 0.00001}
	w.session.upcoming = chat.NextRequest{
		Cost: chat.RequestCost{Request: 44, Tokens: 32_400, All: 41_000, Spent: 3600, None: 4200}, Limit: 200_000, Trigger: 170_000,
		Leaves: []chat.PruneRecord{
			{Kind: "soft", Subject: "go test ./...", Reason: "output, not used for 3 requests, and a cut is made anyway", Tokens: 400},
			{Kind: "cold", Subject: root + "/internal/a/very/long/path/a.go", Reason: "view, not used for 31 requests", Tokens: 4000},
		},
		Cut:  &history.PruningCost{Paid: 690, Saves: 88, Back: 8, Bank: 1200, Request: 44},
		Held: []chat.PrunablePart{{Kind: "view", Subject: root + "/b.go", Tokens: 1000, Pinned: true, Reason: "pinned"}},
	}
	const want = `The next request: 32.4k of 200k tokens (16%). Compression starts at 170k
Cost: $0.036. Without pruning: $0.042, for a request of 41k tokens
To prune: 2 parts, 4.4k tokens; costs $0.0069 now, saves $0.0009 per request, pays back after 8 requests
   4k  …very/long/path/a.go  view, not used for 31 reque…
  400  go test ./...         output, not used for 3 requ…
Kept: 1 part, 1k tokens
  1k  b.go  pinned
Also: /density all, explain, show, restore, why, pin, unpin`
	if got := text(w.run(t, "/density explain")); got != want {
		t.Errorf("shows\n%s\nwant\n%s", got, want)
	}
	next := &w.session.upcoming
	for i := range 20 {
		next.Leaves = append(next.Leaves, next.Leaves[i%2])
		next.Held = append(next.Held, next.Held[0])
	}
	lines := strings.Split(text(w.run(t, "/density explain")), "\n")
	if len(lines) > 18 || !strings.HasSuffix(lines[2], "; 16 not shown") || !strings.HasSuffix(lines[9], "; 17 not shown") {
		t.Errorf("%d lines\n%s", len(lines), strings.Join(lines, "\n"))
	}
	for i, line := range lines {
		if prose := i < 3; !prose && ansi.StringWidth(line) > 60 {
			t.Errorf("wider than 60 columns: %s", line)
		}
	}
	next.Leaves, next.Held, next.Cut, w.session.story.Dollars = nil, nil, nil, 0
	next.Cost = chat.RequestCost{Tokens: 180_000, All: 180_000, Spent: 225_000, None: 225_000, Cold: true}
	const nothing = `The next request: 180k of 200k tokens (90%). Compression starts at 170k, so the context is compressed first
Cost: 225k tokens at full price. Without pruning: 225k, for a request of 180k tokens; nothing is cached
Nothing will be pruned before this request.
Also: /density all, explain, show, restore, why, pin, unpin`
	if got := text(w.run(t, "/density explain")); got != nothing {
		t.Errorf("shows\n%s\nwant\n%s", got, nothing)
	}
}

func TestDensityWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	addPrices(w)
	for line, want := range map[string]string{"/density why a.go": "a.go", `/why say  "so"`: `say  "so"`} {
		w.session.why = &provenance.Answer{State: provenance.StateInContext, Parts: []provenance.Part{{State: provenance.StateInContext, What: "answer: read_file a.go", Entry: 3, Tokens: 5}}}
		if got := text(w.run(t, line)); got != "In the next request.\nanswer: read_file a.go\n  in the context, entry 3, 5 tokens" || w.session.why.Question != want {
			t.Errorf("%s asks %q and shows\n%s", line, w.session.why.Question, got)
		}
	}
}

func TestDensityActs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	addPrices(w)
	if got := text(w.run(t, "/density restore 1")); !strings.Contains(got, "Restored entry 1") || !strings.Contains(got, "4k tokens") {
		t.Errorf("%q", got)
	}
	if got := text(w.run(t, "/density pin a.go")); !strings.Contains(got, "Pinned a.go") {
		t.Errorf("%q", got)
	}
	w.run(t, "/density UNPIN 'b c.go'")
	if want := []string{"bring back 1", "pin a.go true", "pin b c.go false"}; !slices.Equal(w.session.done, want) {
		t.Errorf("did %q", w.session.done)
	}
	w.session.actErr = errors.New("the record cannot be written")
	for _, line := range []string{"/density restore 1", "/density pin a.go", "/density unpin a.go"} {
		if out, err := w.Run(t.Context(), line); err == nil || len(out.Lines) > 0 {
			t.Errorf("%s failed and says %q, %v", line, out.Lines, err)
		}
	}
}

func TestDensityCompletes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	addPrices(w)
	w.session.pinned = append(w.session.pinned, "gone.go")
	for line, want := range map[string][]string{
		"/density ":         {"all", "explain", "show", "restore", "why", "pin", "unpin"},
		"/density restore ": {"4", "3", "2", "1"},
		"/density why ":     {"a.go", "b.go"},
		"/density pin ":     {"a.go"},
		"/density unpin ":   {"b.go", "gone.go"},
		"/density x ":       nil,
	} {
		if got := w.values(line); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func TestContextShowsHeldParts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.session.usage = chat.ContextUsage{Limit: 1000, Prunable: window.PrunableTokens{Free: 1200, Cold: 3400, Pinned: 50}}
	if got := text(w.run(t, "/context")); !strings.HasSuffix(got, "\nheld back    1.2k outdated and 3.4k unused, until pruning saves more than it costs; 50 pinned") {
		t.Errorf("%s", got)
	}
}
