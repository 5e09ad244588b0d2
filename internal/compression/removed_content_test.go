package compression

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"agent/internal/history"

	"pgregory.net/rapid"
)

// kindsAndSubjects returns one line for each prune.
func kindsAndSubjects(prunes []history.Prune) []string {
	var told []string
	for _, p := range prunes {
		told = append(told, fmt.Sprintf("%s %s", p.Kind, p.Subject))
	}
	return told
}

// PrunedBetween lists the content that a compression removes: a result that became a line, a
// dropped call with its answer, and messages. A block that already replaced other content is not
// listed again.
func TestPrunedBetween(t *testing.T) {
	t.Parallel()
	entries := conv(H("first"), ran("read_file", "/w/a", strings.Repeat("line\n", 50)), A("done"), H("second"), A("bye"))
	facts := testFacts
	short := entries[2].WithBlocks([]history.Block{entries[2].Blocks[0].(*history.ToolResponse).WithResult("[read_file: /w/a — success, 50 lines]")})
	lined := []*history.Content{entries[0], entries[1], short, entries[3], entries[4], entries[5]}
	if got, want := kindsAndSubjects(PrunedBetween(entries, lined, "high-density", facts)), []string{"summarised /w/a"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	dropped := []*history.Content{entries[0], newMarker(3), entries[4], entries[5]}
	if got, want := kindsAndSubjects(PrunedBetween(lined, dropped, "high-density", facts)), []string{"dropped /w/a", "dropped reply: done"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := kindsAndSubjects(PrunedBetween(dropped, dropped[2:], "context limit", facts)); !slices.Equal(got, []string{"dropped message: first"}) {
		t.Errorf("a marker is listed: %q", got)
	}
}

// If a model wrote a summary, every replaced block counts as summarized.
func TestPrunedBetweenWithASummary(t *testing.T) {
	t.Parallel()
	entries := talk(5)
	c := contextOf(t, 100_000, entries)
	c.Summarizer = answeringModel(snap)
	result, err := oneShot.Compress(context.Background(), c)
	if err != nil || !result.Applied {
		t.Fatal(err, result.Reason)
	}
	gone := PrunedBetween(entries, result.NewHistory, "one-shot", c.Facts)
	if len(gone) == 0 || slices.ContainsFunc(gone, func(p history.Prune) bool { return p.Kind != PruneSummarized }) {
		t.Errorf("%q", kindsAndSubjects(gone))
	}
}

// After any compression, each removed block is in exactly one line of the list, and no kept block
// is in it. Blocks that already replaced other content are exempt.
func TestPrunedBetweenIsComplete(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		entries := talk(rapid.IntRange(1, 12).Draw(t, "turns"))
		c := contextOf(t, rapid.IntRange(300, 6000).Draw(t, "limit"), entries)
		result, err := highDensity{}.Compress(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		listed := map[history.Block]int{}
		for _, p := range PrunedBetween(entries, result.NewHistory, "x", c.Facts) {
			for _, b := range p.Gone {
				listed[b]++
			}
		}
		stays := map[history.Block]bool{}
		for _, entry := range result.NewHistory {
			for _, b := range entry.Blocks {
				stays[b] = true
			}
		}
		for _, entry := range entries {
			for _, b := range entry.Blocks {
				if want := 1; listed[b] != want && !stays[b] || listed[b] > 0 && stays[b] {
					t.Fatalf("%T is listed %d times, stays %v", b, listed[b], stays[b])
				}
			}
		}
	})
}
