package compression

import (
	"strings"
	"testing"

	"agent/internal/history"
)

// A key of 80 characters and a name of 40 are shown completely. Longer ones are truncated (D-26).
func TestSummaryBounds(t *testing.T) {
	t.Parallel()
	result := strings.Repeat("a line of some length\n", 20)
	key := func(n int) string {
		made := call("1", "read_file", strings.Repeat("k", n))
		return summarize(res("1", "read_file", result), made, testFacts).Result.Text()
	}
	if got := key(80); got != "[read_file: "+strings.Repeat("k", 80)+" — success, 20 lines]" {
		t.Errorf("80 characters: %s", got)
	}
	if got := key(81); got != "[read_file: "+strings.Repeat("k", 79)+"… — success, 20 lines]" {
		t.Errorf("81 characters: %s", got)
	}
	name := func(n int) string {
		return summarize(res("1", strings.Repeat("n", n), result), nil, testFacts).Result.Text()
	}
	if got := name(40); got != "["+strings.Repeat("n", 40)+" — success, 20 lines]" {
		t.Errorf("a name of 40: %s", got)
	}
	if got := name(41); got != "["+strings.Repeat("n", 39)+"… — success, 20 lines]" {
		t.Errorf("a name of 41: %s", got)
	}
}

// A result that looks like a summary, but is too long or has two lines, is still summarized.
func TestIsSummary(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		is   bool
	}{
		{"[grep: x — success, 2 lines]", true},
		{"[grep: " + strings.Repeat("x", 181) + " — success]", true},     // 199 characters
		{"[grep: " + strings.Repeat("x", 182) + " — success]", false},    // 200
		{"[grep: " + strings.Repeat("x\n", 80) + " — success]", false},   // several lines
		{"[glob: x — success, 2 lines]" + strings.Repeat("]", 9), false}, // another tool
		{"[grep: x, success, 2 lines]", false},
	} {
		if got := isSummary(c.text, res("1", "grep", c.text)); got != c.is {
			t.Errorf("%d characters, %q is a summary: %t", len([]rune(c.text)), c.text, got)
		}
	}
}

// A summary replaces only the result. Error, exit code and IDs stay, so that a second summary and
// the request are the same.
func TestSummaryKeepsTheRest(t *testing.T) {
	t.Parallel()
	response := exited("7", "run_shell_command", strings.Repeat("FAIL\n", 50), 1)
	response.Error = "exit status 1"
	short := summarize(response, call("7", "run_shell_command", `{"command":"make"}`), testFacts)
	want := response.WithResult("[run_shell_command: make — exit 1, 50 lines]")
	if got := asJSON(t, history.New(history.Tool, short)); got != asJSON(t, history.New(history.Tool, want)) || !strings.Contains(got, `"exitCode":1`) {
		t.Errorf("got %s", got)
	}
}
