package cacheaware

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agent/internal/cmdline"
	"agent/internal/history"
)

// A newer output of the same command supersedes an older one if it shows at least as much.
func TestOutputCuts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		newer, older string
		holds        bool
	}{
		{"go test", "go test", true},
		{"go test", "go test |& tail -5", true},
		{"go test |& tail -9", "go test | tail -5", false},
		{"go test", "go test | tail -5", true},
		{"go test | tail -5", "go test", false},
		{"go test 2>&1 | head -50", "go test", false},
		{"go test | tail -20", "go test | tail -5", true},
		{"go test | tail -5", "go test | tail -n 20", false},
		{"go test | head -20", "go test | tail -5", false},
		{"go test 2>&1 | tail -9", "go test | tail -5", false},
		{"go test | tail -9", "go test 2>&1 | tail -5", true},
		{"go test 2>/dev/null", "go test", false},
		{"go test", "cd /w && go test 2>/dev/null", true},
		{"go test | head -20 | tail -3", "go test | head -20 | tail -3", true},
		{"go test | head -30 | tail -3", "go test | head -20 | tail -3", false},
	} {
		newerKey, newer := keyOf(c.newer)
		olderKey, older := keyOf(c.older)
		if newerKey != olderKey || newer.holds(older) != c.holds {
			t.Errorf("%q supersedes %q: %t, want %t; keys %q and %q", c.newer, c.older, !c.holds, c.holds, newerKey, olderKey)
		}
	}
	for _, less := range []string{"go test | grep FAIL", "go test | sed -n 1,9p", "go test | wc -l", "go test | tail", "go test | tail -n +5", "go test > /dev/null"} {
		whole, _ := keyOf("go test")
		if key, _ := keyOf(less); key == whole {
			t.Errorf("%q has the key of the whole", less)
		}
	}
}

// A truncated output supersedes no complete output, also in another reply. A refused call
// supersedes nothing.
func TestShorterOutputSupersedesNothing(t *testing.T) {
	t.Parallel()
	output := strings.Repeat("output ", 50)
	for name, c := range map[string]struct {
		command, result, failure string
		want                     []string
	}{
		"the same again":  {"go vet", output, "", []string{"1 output: free"}},
		"cut":             {"go vet | tail -4", output, "", nil},
		"refused":         {"go vet", "", "the user has refused the call", nil},
		"failed with 1":   {"go vet", output, "exit 1", []string{"1 output: free"}},
		"another command": {"go vet ./a", output, "", nil},
	} {
		said := &talk{}
		said.call("shell", map[string]any{"command": "go vet"}, output, true)
		said.call("shell", map[string]any{"command": c.command}, c.result, false)
		last := len(said.entries) - 1
		response := *said.entries[last].Blocks[0].(*history.ToolResponse)
		response.Error = c.failure
		said.entries[last] = said.entries[last].WithBlocks([]history.Block{&response})
		if gone, _ := plan(RequestFacts{}, said); !slices.Equal(gone, c.want) {
			t.Errorf("%s: %q goes, want %q", name, gone, c.want)
		}
	}
}

// Arguments of edits with fewer than forty lines stay unchanged. Their calls are removed as a
// whole.
func TestShortEditsAreRemovedWhole(t *testing.T) {
	t.Parallel()
	for lines, want := range map[int]Reason{minEditLines - 1: ReasonEmptyCall, minEditLines: ReasonFree} {
		said := &talk{}
		said.human("go")
		for i := range 5 {
			said.call("replace", map[string]any{"path": "a.go", "old": source(fmt.Sprint("O", i), lines), "new": source(fmt.Sprint("N", i), lines)}, strings.Repeat("the changed lines ", 20), false)
		}
		said.call("read", map[string]any{"path": "a.go"}, source("A", 50), false)
		said.idle(1)
		e := newEngine()
		for _, entry := range said.entries {
			e.Add(entry)
		}
		e.account.None = 1e6
		p := e.Plan(RequestFacts{Price: SafePrice, Cold: true})
		first := slices.IndexFunc(p.Changes, func(c Change) bool { return c.Entry == 1 })
		if first < 0 || p.Changes[first].Why != want {
			t.Errorf("of an edit of %d lines went %+v, want %s", lines, p.Changes, want)
		}
		e.Apply(p)
		for i := range e.Len() {
			for _, call := range e.Entry(i).Calls() {
				if lines < minEditLines && strings.Contains(string(call.Parameters), PlaceholderPrefix) {
					t.Errorf("an edit of %d lines is sent as %s", lines, call.Parameters)
				}
			}
		}
	}
}

// A placeholder states the exit status of a command, unless the error next to it does, and how to
// restore the content.
func TestPlaceholderStatesTheExitOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		exit   int
		err    string
		number int
		want   string
	}{
		"success":  {0, "", 12, "[pruned: 2 lines, recall 12]"},
		"no error": {1, "", 12, "[pruned: 2 lines, exit 1, recall 12]"},
		"an error": {1, "the command failed: exit 1 after 11ms", 12, "[pruned: 2 lines, recall 12]"},
		"unlisted": {1, "", 0, "[pruned: 2 lines, exit 1]"},
	} {
		answer := (&history.ToolResponse{Error: c.err, ExitCode: &c.exit}).WithResult("a\nb\n")
		if got := WithPlaceholder(answer, c.number).Result.Text(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// keyOf returns the key of a command line, and the parts of its output that it cuts.
func keyOf(line string) (string, outputCut) {
	core := cmdline.Read(line).Core()
	return core.Text, outputCut{core.Ends, core.Merged, core.Silent}
}
