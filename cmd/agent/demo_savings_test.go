package main

import (
	"encoding/json"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"agent/internal/testing/require"
)

// demoCosts plays the demo to its end and returns its cost and the saving that it reports, in dollars.
func demoCosts(t *testing.T, args ...string) (cost, saved float64) {
	t.Helper()
	run := startRun(t, t.TempDir(), "", append([]string{"demo", "-p", "--output-format", "stream-json"}, args...)...)
	out, status := run.end()
	if status != exitOK {
		t.Fatalf("ended with %d:\n%s", status, out)
	}
	for line := range strings.Lines(out) {
		var result struct {
			Type    string
			CostUSD float64
			Context struct{ SavedUSD float64 }
		}
		if json.Unmarshal([]byte(line), &result) == nil && result.Type == "result" {
			return result.CostUSD, result.Context.SavedUSD
		}
	}
	t.Fatalf("no result:\n%s", out)
	return 0, 0
}

// The saving that the demo ends with is the difference between two runs, and the README has the
// figures of both.
func TestDemoSavesWhatItSays(t *testing.T) {
	t.Parallel()
	require.Program(t, "sh")
	pruned, saved := demoCosts(t)
	whole, _ := demoCosts(t, "--set", "compression.strategy=one-shot")
	if difference := whole - pruned; difference <= 0.001 || math.Abs(difference-saved) > 0.0003 {
		t.Errorf("the demo reports $%.4f saved, but two runs cost $%.4f and $%.4f", saved, pruned, whole)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for row, cost := range map[string]float64{"the demo with pruning": pruned, "the demo without pruning": whole} {
		shown := regexp.MustCompile(row + ` \| \$([\d.]+) `).FindSubmatch(readme)
		if shown == nil {
			t.Errorf("the README has no row %q", row)
		} else if figure, err := strconv.ParseFloat(string(shown[1]), 64); err != nil || math.Abs(figure-cost) > 0.001 {
			t.Errorf("the README says %s costs $%s, measured $%.4f", row, shown[1], cost)
		}
	}
}
