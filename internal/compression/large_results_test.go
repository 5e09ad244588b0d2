package compression

import (
	"fmt"
	"strings"
	"testing"

	"agent/internal/history"
)

// Results that the model has seen are replaced by notes first, starting with the largest. Unseen
// results stay as long as that is enough (D-42).
func TestSeenResultsAreNotedFirst_D42(t *testing.T) {
	t.Parallel()
	lines := func(n int) string { return strings.Repeat("line\n", n) }
	seen := conv(H("task"), A(call("1", "read_file", "small"), call("2", "read_file", "large")), T(res("1", "read_file", lines(100)), res("2", "read_file", lines(200))))
	entries := conv(seen, A(call("3", "read_file", "new")), T(res("3", "read_file", lines(400))))
	result := func(c *history.Content, i int) string { return c.Blocks[i].(*history.ToolResponse).Result.Text() }
	for _, tc := range []struct {
		name  string
		limit int
		want  [3]string // the beginnings of small, large and new
	}{
		{"the largest of the old", 3000, [3]string{"line", "[read_file: large — removed to fit the context limit, 200 lines]", "line"}},
		{"all of the old", 2300, [3]string{"[read_file: small — removed", "[read_file: large — removed", "line"}},
	} {
		in := FallbackInput{Context: contextOf(t, tc.limit, entries)}
		l := newReduction(in)
		l.noteResults()
		got := [3]string{result(l.History[2], 0), result(l.History[2], 1), result(l.History[4], 0)}
		for i, want := range tc.want {
			if !strings.HasPrefix(got[i], want) {
				t.Errorf("%s: result %d is %.60q, want %q", tc.name, i, got[i], want)
			}
		}
		if got[2] != lines(400) {
			t.Errorf("%s: the unseen result was touched: %.60q", tc.name, got[2])
		}
	}
}

// The model receives part of each unseen result, as much as fits, with a note about the rest. A
// note alone replaces a result only if the part would be tiny (D-41, D-42).
func TestUnseenResultsAreCut_D41(t *testing.T) {
	t.Parallel()
	var numbered strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&numbered, "%5d|text\n", i+1)
	}
	entries := conv(H("task"), A(call("1", "read_file", "a"), call("2", "read_file", "b"), call("3", "read_file", "c")),
		T(res("1", "read_file", numbered.String())), T(failed("2", "read_file", strings.Repeat("e ", 2000))), T(res("3", "read_file", "short")))
	for _, tc := range []struct {
		limit int
		shown bool
	}{{20_000, true}, {2000, true}, {510, false}} {
		result, _, err := reduceChecked(t, FallbackInput{Context: contextOf(t, tc.limit, entries)})
		if err != nil {
			t.Fatal(err)
		}
		if len(result.History) != len(entries) {
			t.Fatalf("limit %d: %d entries are left", tc.limit, len(result.History))
		}
		first := result.History[2].Blocks[0].(*history.ToolResponse).Result.Text()
		last := "[cut: 3000 lines are too large for the context window; read a range]"
		if tc.shown != (strings.HasPrefix(first, "    1|text\n    2|text\n") && strings.HasSuffix(first, "|text\n"+last)) {
			t.Errorf("limit %d: %.40q … %q", tc.limit, first, first[max(0, len(first)-80):])
		}
		if tc.shown && 10*result.TokensAfter < 9*tc.limit {
			t.Errorf("limit %d: only %d tokens are used", tc.limit, result.TokensAfter)
		}
		if !tc.shown && first != "[read_file: a — too large for the context window, 3000 lines; read a range]" {
			t.Errorf("limit %d: %q", tc.limit, first)
		}
		if got := result.History[4].Blocks[0].(*history.ToolResponse).Result.Text(); got != "short" {
			t.Errorf("limit %d: the short result became %q", tc.limit, got)
		}
	}
}

// Files in messages before the tail are removed before any message is. The oldest come first, only
// as many as necessary, and the user's text stays (D-47).
func TestIncludedFilesGoBeforeMessages_D47(t *testing.T) {
	t.Parallel()
	file := func(name string) *history.Text { return history.NewInclusion(name, strings.Repeat("line\n", 400)) }
	entries := conv(H("first, see", file("one.md")), A("ok"), H("second, see", file("two.md")), A("ok"), H("third"), A("ok"), H("fourth"), A("ok"), H("now"), A("doing"))
	stub := func(name string) string {
		return fmt.Sprintf(`"[%s: removed to fit the context limit, 400 lines]"`, name)
	}
	for _, tc := range []struct {
		limit int
		want  string
	}{
		{12_000, ""}, // target 6 120
		{6000, `H{"first, see", ` + stub("one.md") + "}"},
		{1800, `H{"second, see", ` + stub("two.md") + "}"},
	} {
		result := compressWith(t, highDensity{}, contextOf(t, tc.limit, entries))
		if tc.want == "" {
			wantNoop(t, result, reasonNothing)
			continue
		}
		all := showAll(result.NewHistory)
		for _, words := range []string{tc.want, "first, see", "second, see", "third", "fourth", "now"} {
			if !strings.Contains(all, words) {
				t.Errorf("limit %d: %q is gone:\n%.600s", tc.limit, words, all)
			}
		}
		if two := strings.Contains(all, stub("two.md")); two != (tc.limit < 6000) {
			t.Errorf("limit %d: the second file went: %t", tc.limit, two)
		}
	}
	// Text that only looks like an inclusion is the user's own text.
	pasted := conv(H("see\n"+inc("x.md", strings.Repeat("line\n", 400))), A("ok"), H("now"), A("doing"))
	if result := compressWith(t, highDensity{}, contextOf(t, 1800, pasted)); !strings.Contains(showAll(result.NewHistory), "line") {
		t.Error("pasted text was taken for a file")
	}
}
