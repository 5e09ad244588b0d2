package compression

import (
	"strings"
	"testing"
	"unicode/utf8"

	"agent/internal/history"

	"pgregory.net/rapid"
)

// TestRecencyPrunesOnlyRepeatableResults checks which results recency pruning removes (D-45). Each
// row runs one tool three times with the same result, and keeps one.
func TestRecencyPrunesOnlyRepeatableResults(t *testing.T) {
	t.Parallel()
	pointerSized := strings.Repeat("é", utf8.RuneCountInString(PrunedPlaceholder))
	for name, c := range map[string]struct {
		tool, result string
		want         int
	}{
		"a read":                          {"read_file", long("x"), 2},
		"a search":                        {"grep", long("x"), 2},
		"a command":                       {"run_shell_command", long("x"), 2},
		"a write":                         {"insert_at_line", long("x"), 0},
		"a tool that keeps state":         {"todo_write", long("x"), 0},
		"an unknown tool":                 {"mystery", long("x"), 0},
		"an empty result":                 {"grep", "", 0},
		"a blank result":                  {"grep", strings.Repeat(" \n", 100), 0},
		"a result as long as the pointer": {"grep", pointerSized, 0},
		"a result longer by a character":  {"grep", pointerSized + "é", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := func() []*history.Content { return ran(c.tool, "{}", c.result) }
			result, err := highDensity{}.Optimize(conv(run(), run(), run()), withSwitches(1, "recencyPruning"))
			if err != nil || result.Metadata.Total() != c.want || len(result.Replacements) != c.want {
				t.Errorf("%d results went, want %d; %v", result.Metadata.Total(), c.want, err)
			}
		})
	}
}

// A configuration without a number keeps three (REQ-HD-007.4).
func TestRecencyKeepsThreeByDefault(t *testing.T) {
	t.Parallel()
	var entries []*history.Content
	for range 5 {
		entries = append(entries, ran("grep", "{}", long("x"))...)
	}
	config := withSwitches(1, "recencyPruning")
	config.Numbers = nil
	result, err := highDensity{}.Optimize(entries, config)
	if err != nil || result.Metadata.CountOf("old-result") != 2 {
		t.Errorf("of five %d went, %v", result.Metadata.CountOf("old-result"), err)
	}
}

// A result that is too short to prune still counts. The newest results are the newest, whatever
// their size.
func TestShortResultsCount(t *testing.T) {
	t.Parallel()
	runOptimizeCases(t, []optimizeCase{{
		id: "D-45 short results", config: with(recency(2)),
		entries: conv(A(call("1", "grep", "{}")), T(res("1", "grep", long("x"))), ran("grep", "{}", ""), ran("grep", "{}", "y")),
		rep:     map[int]string{1: `T{r1="` + PrunedPlaceholder + `"}`}, md: [3]int{0, 0, 1},
	}})
}

// A pruned result is never shorter than its placeholder, and never comes from a tool whose results
// can't be produced again (D-45).
func TestRecencyNeverCostsAnything(t *testing.T) {
	checkOptimize(t, func(t *rapid.T, o optimizedHistory) {
		for _, p := range o.result.Prunes {
			if p.Kind != oldResults.Kind {
				continue
			}
			gone, left := p.Gone[0].(*history.ToolResponse), p.Left[0].(*history.ToolResponse)
			if !testFacts(gone.ToolName).IsRetrievable() || utf8.RuneCountInString(gone.Result.Text()) <= utf8.RuneCountInString(left.Result.Text()) {
				t.Errorf("D-45: %s lost %q", gone.ToolName, gone.Result.Text())
			}
		}
	})
}
