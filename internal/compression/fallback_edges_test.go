package compression

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"agent/internal/history"
)

// The size of a marker includes all digits of its number, at any limit (D-30).
func TestTheMarkerCountsWithItsDigits(t *testing.T) {
	t.Parallel()
	var entries []*history.Content
	for range 120 {
		entries = append(entries, H("x"))
	}
	entries = append(entries, H("now"))
	for room := 200; room < 400; room++ {
		l := &reduction{Context: contextOf(t, room, entries), room: room}
		if l.dropTurns(); l.Total() > room || !slices.ContainsFunc(l.History, isMarker) {
			t.Errorf("%d tokens in a room of %d, or no word of what is gone", l.Total(), room)
		}
	}
}

// A marker has the flag of compression, so it does not count as a user message.
func TestMarkersAreSummaries(t *testing.T) {
	t.Parallel()
	if m := newMarker(3); m.Metadata[history.MetaSummary] != true || droppedBy(m) != 3 || isSpoken(m) {
		t.Errorf("metadata %v", m.Metadata)
	}
}

// An unanswered message must stay with its files, or the request is refused. After the model has
// replied, only the text must stay (D-47).
func TestOverflowCountsTheNecessaryPart_D47(t *testing.T) {
	t.Parallel()
	message := H("see", history.NewInclusion("f.md", strings.Repeat("line\n", 400)))
	in := FallbackInput{Context: contextOf(t, 1000, conv(message))}
	var overflow *ContextOverflowError
	if _, err := Reduce(in); !errors.As(err, &overflow) || overflow.Message != in.Tokens[0] {
		t.Errorf("unanswered: %v", err)
	}
	answered := conv(message, A("looking", call("1", "grep", "{}")), T(res("1", "grep", "hit")))
	for _, preserve := range []float64{0, 0.2, 1} {
		in = FallbackInput{Context: contextOf(t, 1000, answered)}
		in.PreserveThreshold = preserve
		result, _, err := reduceChecked(t, in)
		if err != nil || !strings.HasPrefix(show(result.History[0]), `H{"see", "[f.md: removed`) || len(result.History) != 3 {
			t.Errorf("preserve %v: %v, %s", preserve, err, showAll(result.History))
		}
	}
	// A file whose placeholder would not be shorter stays.
	tiny := H("see", history.NewInclusion("f.md", "x"))
	if withoutInclusions(tiny) != tiny {
		t.Errorf("became %s", show(withoutInclusions(tiny)))
	}
}

// loopOf returns a task with n calls of 100 tokens, each with an answer of 1000.
func loopOf(t *testing.T, limit, n int) Context {
	entries, weights := conv(H("task")), []int{10}
	for i := range n {
		entries = append(entries, ran("read_file", fmt.Sprint("f", i), strings.Repeat("line\n", 200))...)
		weights = append(weights, 100, 1000)
	}
	return withCounts(t, limit, entries, weights...)
}

// untouched counts the unchanged results.
func untouched(entries []*history.Content) int {
	n := 0
	for _, c := range entries {
		for _, block := range c.Blocks {
			if r, ok := block.(*history.ToolResponse); ok && strings.HasPrefix(r.Result.Text(), "line\nline") {
				n++
			}
		}
	}
	return n
}

// The fallback steps start with the kept tail, halve it repeatedly, and stop as soon as the request
// fits, exact to the token (D-42).
func TestTheTailIsHalvedStepByStep_D42(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		limit int
		want  int
	}{
		{"once", 16*1100 + 15, 16},
		{"one token less", 16*1100 + 14, 8},
		{"twice", 8*1100 + 15, 8},
		{"three times", 4*1100 + 15, 4},
	} {
		c := loopOf(t, tc.limit, 40)
		result, names, err := reduceChecked(t, FallbackInput{Context: c, Done: Result{Tail: 64, Metadata: ResultMetadata{StrategyUsed: DefaultName}}})
		if err != nil || !slices.Equal(names, []FallbackName{FallbackShorterTail}) || untouched(result.History) != tc.want {
			t.Errorf("%s: %d results after %v, want %d, %v", tc.name, untouched(result.History), names, tc.want, err)
		}
	}
}

// After another strategy, the tail is the configured share (D-42).
func TestFallbackUsesTheConfiguredShare(t *testing.T) {
	t.Parallel()
	for preserve, want := range map[float64]int{0.5: 11, 0.2: 5} {
		c := loopOf(t, 13_000, 20)
		c.PreserveThreshold = preserve
		result, names, err := reduceChecked(t, FallbackInput{Context: c, Done: Result{Metadata: ResultMetadata{StrategyUsed: topDown{}.Name()}}})
		if err != nil || !slices.Equal(names, []FallbackName{FallbackHighDensity}) || untouched(result.History) != want {
			t.Errorf("share %v: %d results after %v, %v", preserve, untouched(result.History), names, err)
		}
	}
}

// If compression found nothing new and the context window is smaller, the fallback does not repeat
// it, and still reaches the shortest tail (D-42).
func TestFallbackAfterANoOp(t *testing.T) {
	t.Parallel()
	c := loopOf(t, 6000, 40)
	c.PreserveThreshold = 0
	once := compressWith(t, highDensity{}, c)
	smaller := recounted(c, once.NewHistory)
	smaller.ContextLimit = 1200
	again := compressWith(t, highDensity{}, smaller)
	if !once.Applied || again.Applied || again.Reason != reasonUnchanged {
		t.Fatalf("once %t, again %t: %s", once.Applied, again.Applied, again.Reason)
	}
	result, names, err := reduceChecked(t, FallbackInput{Context: smaller, Done: again})
	if err != nil || slices.Contains(names, FallbackHighDensity) || len(names) > 0 && names[0] != FallbackShorterTail || len(result.History) == 0 {
		t.Errorf("%v, %v", names, err)
	}
}

// A truncated result is valid text. It ends with a whole line, or within a line that is too long.
func TestCutsAreWholeText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("é", 900), strings.Repeat("ééé\n", 300)} {
		for n := range 40 {
			got := wholeLines(text, n)
			if !utf8.ValidString(got) || len(got) > n+len("…\n") || !strings.HasSuffix(got, "\n") {
				t.Errorf("%d bytes: %q", n, got)
			}
		}
	}
}

// Entries since the last compression make the next one effective (D-43).
func TestCompressionContinuesWithNewEntries_D43(t *testing.T) {
	t.Parallel()
	c := loopOf(t, 6000, 40)
	once := compressWith(t, highDensity{}, c)
	more := append(slices.Clone(once.NewHistory), loopOf(t, 6000, 20).History[1:]...)
	if again := compressWith(t, highDensity{}, contextOf(t, 6000, more)); !again.Applied || droppedBy(again.NewHistory[1]) <= droppedBy(once.NewHistory[1]) {
		t.Errorf("after 40 new entries: %q, %s", again.Reason, show(again.NewHistory[1]))
	}
}

// Files of an old message are removed if nothing else frees tokens. This holds even if the line
// that replaces empty entries is larger than they were (D-47).
func TestFallbackRemovesFilesOfAReadMessage(t *testing.T) {
	t.Parallel()
	read := history.New(history.Human, history.NewInclusion("a", "x"), history.NewInclusion("a", strings.Repeat("y", 60)))
	entries := []*history.Content{H(""), H(""), read, A("")}
	c := contextOf(t, 100, entries)
	c.Overhead, c.Reserve = 0, 0
	result, err := Reduce(FallbackInput{Context: c})
	if err != nil || !slices.ContainsFunc(result.History, func(e *history.Content) bool { return sameText(e, read) }) {
		t.Errorf("%d tokens of %d at first: %v", c.Total(), c.ContextLimit, err)
	}
}

// A marker that reports unread calls has to stay. The message after it still keeps its files,
// because the model has not read them.
func TestFallbackKeepsFilesOfANewMessage_D47(t *testing.T) {
	t.Parallel()
	marker := gap{entries: 3, unread: unread{fates: map[string]int{"success": 1}, whole: true}}.marker()
	message := H("and this", history.NewInclusion("/w/f", strings.Repeat("line\n", 100)))
	c := contextOf(t, 0, conv(marker, message))
	c.ContextLimit = c.Count(message) + c.Count(marker)/2
	if _, _, err := reduceChecked(t, FallbackInput{Context: c}); err == nil {
		t.Error("the message and the marker fit where there is no room for both")
	}
}

// A damaged marker without calls does not hide later calls.
func TestADamagedMarkerHidesNoCalls(t *testing.T) {
	t.Parallel()
	damaged := newMarker(3).WithMeta(metaUnread, "?").WithMeta(metaReplies, 1).WithMeta(metaWhole, true)
	entries := conv(damaged, H("task"), A(call("1", "write_file", `{}`)), T(res("1", "write_file", "ok")))
	tr := newTruncation(contextOf(t, 10, entries), entries, make([]int, len(entries)), groupEntries(entries))
	tr.drop(2)
	left, _ := tr.result()
	if said := left[0].Text(); !strings.Contains(said, "outcomes of your latest calls: 1 success") {
		t.Errorf("the marker says %q", said)
	}
}
