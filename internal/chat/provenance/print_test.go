package provenance

import (
	"strings"
	"testing"

	"agent/internal/history"
)

// The output fits 60 columns. It shows place, size, reason, saving, and how to restore the content.
func TestLines(t *testing.T) {
	t.Parallel()
	a := Answer{State: StateInContext, File: true, Stays: []string{"view (part): kept until pruning saves more than it costs"}, Parts: []Part{
		{State: StateInContext, What: "answer: read_file a.go", Entry: 12, Tokens: 2100},
		{State: StateShortened, What: "call: write_file a.go", Entry: 4, Request: 7, Reason: "body: seen", Number: 3, Tokens: 900, Cut: &history.PruningCost{Saves: 120}, Back: "/density restore 3 (the model: recall 3)"},
		{State: StatePruned, What: "answer: read_file a.go", Upcoming: true, Reason: "stale read: written later by replace", Tokens: 50},
	}}
	const want = `The next request contains the file, or a part of it.
answer: read_file a.go
  in the context, entry 12, 2.1k tokens
call: write_file a.go
  shortened with request 7; the rest is in entry 4
  body: seen
  900 tokens pruned; the whole pruning pass saves 120 tokens per request
  restore: /density restore 3 (the model: recall 3)
answer: read_file a.go
  will be removed before the next request
  stale read: written later by replace
  50 tokens pruned
Pruning:
  view (part): kept until pruning saves more than it costs`
	if got := strings.Join(a.Describe(), "\n"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
