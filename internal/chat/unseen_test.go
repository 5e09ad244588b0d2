package chat

import (
	"strings"
	"testing"

	"agent/internal/compression"
	"agent/internal/history"
)

// noisy prints many lines and fails. Its end differs between the replies of the test.
const noisy = `for i in 1 2 3 4 5 6 7 8 9; do echo "--- FAIL: TestNumber$i of a package with a long name ($i.00s)"; echo "    number_test.go:$i: got $i, want something else"; done; cat a.txt; exit 1`

// With every strategy, the first request after a reply contains each result in full, except a read
// that a later read of the same reply repeats (D-120).
func TestResultsAreWholeInTheirFirstRequest_D120(t *testing.T) {
	t.Parallel()
	shell := func(command string) []string {
		return []string{"run_shell_command", encoded(t, map[string]any{"command": command})}
	}
	fix := []string{"replace", `{"file_path":"a.txt","old_string":"one","new_string":"1"}`}
	read := []string{"read_file", `{"file_path":"a.txt"}`}
	for name, reply := range map[string][][]string{
		"test, fix, test":            {shell(noisy), fix, shell(noisy)},
		"the same with its tail":     {shell("(" + noisy + ")"), shell("(" + noisy + ") 2>&1 | tail -4")},
		"a short failure, its tail":  {shell("touch /no/such/folder/a-long-name-{1..9}; exit 1"), shell("touch /no/such/folder/a-long-name-{1..9}; exit 1 | tail -1")},
		"a read, an edit and a read": {read, fix, read},
	} {
		for _, strategy := range compression.Names() {
			t.Run(name+", "+strategy, func(t *testing.T) {
				t.Parallel()
				var pairs []string
				for _, call := range reply {
					pairs = append(pairs, call...)
				}
				b := newWorkbench(t, map[string]string{"a.txt": "one\n" + strings.Repeat("a line of the file\n", 80)}, calls(pairs...), say("done"))
				b.set("compression.strategy", strategy)
				b.prompt("go")
				var results []string
				for _, entry := range b.model.requests[1].History {
					for _, block := range entry.Blocks {
						if r, ok := block.(*history.ToolResponse); ok {
							results = append(results, r.Result.Text()+r.Error)
						}
					}
				}
				b.checkWhole(results, len(reply), name == "a read, an edit and a read")
			})
		}
	}
}

// checkWhole reports an error for each result that was replaced by a note. If firstMayGo is set,
// the first result may be missing, because a later read repeats it.
func (b workbench) checkWhole(results []string, calls int, firstMayGo bool) {
	b.t.Helper()
	if len(results) != calls && !(firstMayGo && len(results) == calls-1) {
		b.t.Fatalf("%d results of %d calls were sent: %q", len(results), calls, results)
	}
	for i, result := range results {
		pruned := strings.Contains(result, "[pruned: ") || strings.Contains(result, compression.PrunedPlaceholder)
		if pruned && !(firstMayGo && i == 0) {
			b.t.Errorf("result %d was sent as %q", i, result)
		}
	}
	if last := results[len(results)-1]; firstMayGo && !strings.Contains(last, "1\na line of the file") {
		b.t.Errorf("the later read shows %.60q", last)
	}
}
