package offline

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func explained(t *testing.T, in Input, flags ...string) (*Explanation, string) {
	t.Helper()
	got, err := newEngine(t, flags...).Explain(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := got.Print(&out); err != nil {
		t.Fatal(err)
	}
	if data, err := json.Marshal(got); err != nil || strings.Contains(string(data), "null") {
		t.Errorf("%s, %v", data, err)
	}
	return got, out.String()
}

// Explain lists the content that the next request would prune, with reasons, and the reasons for
// all other content. It does not change the history.
func TestExplain(t *testing.T) {
	t.Parallel()
	in := parse(t, document("{}"))
	for range 2 {
		got, text := explained(t, in)
		if len(got.Leaves) != 1 || got.Leaves[0].Subject != "a" || got.Leaves[0].Reason != "written later by replace" || got.TokensAfter >= got.TokensBefore {
			t.Errorf("%+v", got)
		}
		if len(got.Stays) != 2 || got.Stays[0].Held || !strings.Contains(got.Stays[0].Reason, "an edit of the file") {
			t.Errorf("%+v", got.Stays)
		}
		for _, want := range []string{"The next request with the strategy high-density", "pruned 58 tokens: 1 stale read", "To prune: 1 part", "stale-read a: written later by replace", "postponed): 0 parts", "Kept: 2 parts"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing in\n%s", want, text)
			}
		}
	}
}

// Explain compares the cost of the next request with and without pruning, in money if prices are
// known.
func TestExplainShowsCosts(t *testing.T) {
	t.Parallel()
	_, text := explained(t, parse(t, document("{}")), "compression.strategy=cache-aware")
	if !strings.Contains(text, "tokens at full price, because nothing is cached. Without the pruning so far it would cost") {
		t.Errorf("no cost in\n%s", text)
	}
	if _, text = explained(t, parse(t, document("{}")), "compression.strategy=cache-aware", "price.input=1000"); !strings.Contains(text, "It costs $") {
		t.Errorf("no money in\n%s", text)
	}
	if got, _ := explained(t, parse(t, document("{}"))); got.Without != 0 {
		t.Errorf("high-density keeps no account: %+v", got)
	}
}

// Explain reports if a strategy would call a model, and if a request cannot fit.
func TestExplainWithoutAModel(t *testing.T) {
	t.Parallel()
	got, text := explained(t, parse(t, document("{}")), "compression.strategy=one-shot", "context-limit=400", "compression.threshold=0.5")
	if !strings.Contains(got.Problem, "needs compression") || !strings.Contains(text, got.Problem) || got.TokensAfter != got.TokensBefore {
		t.Errorf("%+v", got)
	}
	if got, _ = explained(t, parse(t, document("{}")), "context-limit=20"); !strings.Contains(got.Problem, "cannot fit") {
		t.Errorf("%+v", got)
	}
	if got, _ = explained(t, parse(t, `{"workspaceRoot":"/w","history":[]}`)); len(got.Leaves)+len(got.Stays) > 0 || got.Problem != "" {
		t.Errorf("%+v", got)
	}
}

// Settings and pins of the session apply, and flags take precedence over them.
func TestExplainOfASession(t *testing.T) {
	t.Parallel()
	in := parse(t, document("{}"))
	in.Document, in.Settings = nil, map[string]string{"compression.density.readWritePruning": "false", "no.such.key": "1"}
	if got, _ := explained(t, in); len(got.Leaves) > 0 {
		t.Errorf("%+v", got.Leaves)
	}
	if got, _ := explained(t, in, "compression.density.readWritePruning=true"); len(got.Leaves) != 1 {
		t.Errorf("%+v", got.Leaves)
	}
	in.Settings = nil
	in.Pins = []string{"/w/a"}
	if got, text := explained(t, in); len(got.Leaves) > 0 || !strings.Contains(text, "postponed): 3 parts") {
		t.Errorf("%+v\n%s", got.Leaves, text)
	}
}

// If a strategy uses prices, Explain lists the class of each unit and the reason for it.
func TestExplainByPrice(t *testing.T) {
	t.Parallel()
	var calls []answered
	for i := range 20 {
		calls = append(calls, answered{tool: "read_file", result: strings.Repeat(fmt.Sprint("line", i, " "), 100)})
	}
	got, text := explained(t, parse(t, recorded("{}", calls...)), "compression.strategy=cache-aware")
	if len(got.Leaves) == 0 || got.Leaves[0].Cut == nil || len(got.Stays) == 0 || got.Stays[0].Class == "" {
		t.Errorf("%+v", got)
	}
	if !strings.Contains(text, "pruning pass: ") || !strings.Contains(text, "used ") {
		t.Errorf("%s", text)
	}
	rest := fmt.Sprintf("and %d more; --json lists all", len(got.Leaves)-6)
	if lines := strings.Count(text, "\n"); lines > 24 || !strings.Contains(text, rest) {
		t.Errorf("%d lines, or %q is missing in\n%s", lines, rest, text)
	}
}
