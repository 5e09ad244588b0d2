package compression

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"agent/internal/history"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func compressWith(t rapid.TB, s Strategy, c Context) Result {
	t.Helper()
	before := asJSON(t, c.History)
	result, err := s.Compress(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if after := asJSON(t, c.History); after != before {
		t.Errorf("the input changed\nfrom %s\nto   %s", before, after)
	}
	want := ResultMetadata{OriginalMessageCount: len(c.History), CompressedMessageCount: len(result.NewHistory), StrategyUsed: s.Name()}
	got := result.Metadata
	if s.RequiresLLM() {
		got.LLMCallMade, got.TopPreserved, got.BottomPreserved, got.MiddleCompressed = false, 0, 0, 0
	}
	if got != want {
		t.Errorf("REQ-HD-008.5: metadata %+v, want %+v", result.Metadata, want)
	}
	if result.TokensBefore != c.Total() {
		t.Errorf("tokens before %d, want %d", result.TokensBefore, c.Total())
	}
	after := c.Overhead
	for _, entry := range result.NewHistory {
		after += c.Count(entry)
	}
	if result.TokensAfter != after {
		t.Errorf("tokens after %d, a fresh count gives %d", result.TokensAfter, after)
	}
	if result.Applied == (result.Reason != "") || result.Applied == (result.TokensAfter >= result.TokensBefore) {
		t.Errorf("D-28: applied %t with reason %q, %d → %d tokens", result.Applied, result.Reason, result.TokensBefore, result.TokensAfter)
	}
	return result
}

func wantNoop(t *testing.T, r Result, reason string) {
	t.Helper()
	if r.Applied || r.Reason != reason {
		t.Errorf("got applied %t, reason %q, want the no-op %q", r.Applied, r.Reason, reason)
	}
}

func wantHistory(t *testing.T, got []*history.Content, want ...string) {
	t.Helper()
	lines := make([]string, len(got))
	for i, c := range got {
		lines[i] = show(c)
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

// withCounts assigns token counts to entries. Markers and other new entries count 5.
func withCounts(t *testing.T, limit int, entries []*history.Content, weights ...int) Context {
	c := contextOf(t, limit, entries)
	c.Tokens = weights
	known := make(map[*history.Content]int)
	for i, entry := range entries {
		known[entry] = weights[i]
	}
	c.Count = func(entry *history.Content) int {
		if n, ok := known[entry]; ok {
			return n
		}
		return 5
	}
	return c
}

const marker1, marker2, marker3 = `H{"[1 earlier entry of this conversation was dropped to fit the context limit]"}`,
	`H{"[2 earlier entries of this conversation were dropped to fit the context limit]"}`,
	`H{"[3 earlier entries of this conversation were dropped to fit the context limit]"}`

func TestHighDensityNoops(t *testing.T) {
	t.Parallel()
	t.Run("K-01 empty", func(t *testing.T) {
		t.Parallel()
		wantNoop(t, compressWith(t, highDensity{}, contextOf(t, 1000, nil)), reasonEmpty)
	})
	t.Run("K-01 one entry", func(t *testing.T) {
		t.Parallel()
		wantNoop(t, compressWith(t, highDensity{}, contextOf(t, 1000, conv(H("hi")))), reasonTail)
	})
	for _, preserve := range []float64{1, 1.5, math.Inf(1)} {
		t.Run("K-01 preserve all", func(t *testing.T) {
			t.Parallel()
			c := contextOf(t, 1000, conv(H("hi"), ran("grep", "{}", strings.Repeat("x", 500)), H("bye")))
			c.PreserveThreshold = preserve
			wantNoop(t, compressWith(t, highDensity{}, c), reasonTail)
		})
	}
	t.Run("K-02", func(t *testing.T) {
		t.Parallel()
		wantNoop(t, compressWith(t, highDensity{}, contextOf(t, 100_000, conv(H("a"), A("b"), H("c"), A("d")))), reasonNothing)
	})
}

// Only results change, and the strategy never calls a model (REQ-HD-008.1, REQ-HD-008.3,
// REQ-HD-008.4).
func TestHighDensitySummarizes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 500)
	entries := conv(H("q"), A(call("c1", "read_file", "f1")), T(res("c1", "read_file", long)), A("done"), H("q2"), A("bye"))
	result := compressWith(t, highDensity{}, contextOf(t, 100_000, entries))
	wantHistory(t, result.NewHistory,
		`H{"q"}`, `A{c1:read_file}`, `T{rc1="[read_file: f1 — success, 500 characters]"}`, `A{"done"}`, `H{"q2"}`, `A{"bye"}`)
	for i, c := range result.NewHistory {
		if i != 2 && c != entries[i] {
			t.Errorf("K-03: entry %d is a copy", i)
		}
	}
}

// Only tool entries are summarized or replaced by notes, even in a damaged history (REQ-HD-008.4).
func TestOtherSpeakersKeepTheirBlocks(t *testing.T) {
	t.Parallel()
	long := res("1", "grep", strings.Repeat("x", 500))
	entries := conv(A("ask", call("1", "grep", "{}"), long), H("words", long), H("bye"), A("bye"))
	wantNoop(t, compressWith(t, highDensity{}, contextOf(t, 100_000, entries)), reasonNothing)
	l := reduction{Context: contextOf(t, 100, entries)}
	if large := l.largeResults(0, len(l.History)); len(large) > 0 {
		t.Errorf("notes for %v", large)
	}
}

// A tool entry that answers two AI entries puts them into one group.
func TestGroups(t *testing.T) {
	t.Parallel()
	g := groupEntries(conv(
		A(call("x", "n", "{}")), A(call("y", "n", "{}")), A("alone"), T(res("y", "n", "")), T(res("x", "n", ""), res("y", "n", "")), H(res("x", "n", ""))))
	if want := []int{0, 0, 2, 0, 0, 5}; !slices.Equal(g.root, want) {
		t.Errorf("roots %v, want %v", g.root, want)
	}
	for cut, want := range map[int]int{6: 6, 5: 0, 4: 0, 1: 0, 0: 0} {
		if got := g.boundary(cut); got != want {
			t.Errorf("the cut before %d moves to %d, want %d", cut, got, want)
		}
	}
}

// TestHighDensityTail covers REQ-HD-008.2 and D-25.
func TestHighDensityTail(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 500)
	t.Run("K-04", func(t *testing.T) {
		t.Parallel()
		// ceil(5 × 0.2) = 1: the boundary is at the second response.
		entries := conv(H("q"), A(call("1", "grep", "{}")), T(res("1", "grep", long)),
			A(call("2", "grep", "{}"), call("3", "grep", "{}")), T(res("2", "grep", long)), T(res("3", "grep", long)))[1:]
		result := compressWith(t, highDensity{}, contextOf(t, 100_000, entries))
		if !slices.Equal(result.NewHistory[2:], entries[2:]) {
			t.Errorf("the tail changed:\n%s", showAll(result.NewHistory))
		}
		if result.NewHistory[1] == entries[1] {
			t.Error("the head did not")
		}
	})
	for _, c := range []struct {
		n        int
		preserve float64
		want     int
	}{{10, 0.2, 2}, {11, 0.2, 3}, {1, 0.2, 1}, {10, 0, 1}, {10, -1, 1}, {10, math.NaN(), 1}, {10, 1, 10}, {10, 7, 10}} {
		if got := tailSize(c.n, c.preserve); got != c.want {
			t.Errorf("D-25: tail of %d entries at %v is %d, want %d", c.n, c.preserve, got, c.want)
		}
	}
}

// TestHighDensityTruncates covers REQ-HD-008.6, BR-THRESH-004 and D-27.
func TestHighDensityTruncates(t *testing.T) {
	t.Parallel()
	t.Run("K-07", func(t *testing.T) {
		t.Parallel()
		entries := conv(H("first"), A("a1"), H("second"), A("a2"), H("last"))
		c := withCounts(t, 1000, entries, 400, 400, 300, 100, 200)
		if c.Target() != 510 {
			t.Errorf("target %d, want 510", c.Target())
		}
		wantHistory(t, compressWith(t, highDensity{}, c).NewHistory, `H{"first"}`, marker3, `H{"last"}`)
		c = withCounts(t, 1800, entries, 400, 400, 300, 100, 200) // target 918
		wantHistory(t, compressWith(t, highDensity{}, c).NewHistory, `H{"first"}`, marker2, `H{"second"}`, `H{"last"}`)
	})
	group := conv(A(call("1", "x", "{}")), T(res("1", "x", "s")))
	t.Run("K-08 at the target", func(t *testing.T) {
		t.Parallel()
		c := withCounts(t, 1000, conv(H("q"), group, A("z"), H("e")), 100, 10, 200, 100, 100)
		wantNoop(t, compressWith(t, highDensity{}, c), reasonNothing)
	})
	t.Run("K-08 one above, K-09", func(t *testing.T) {
		t.Parallel()
		more := conv(A(call("2", "x", "{}")), T(res("2", "x", "s")))
		c := withCounts(t, 1000, conv(H("q"), group, more, H("e")), 100, 10, 200, 10, 100, 91)
		wantHistory(t, compressWith(t, highDensity{}, c).NewHistory, `H{"q"}`, marker2, `A{2:x}`, `T{r2="s"}`, `H{"e"}`)
	})
	t.Run("D-07 the overhead counts", func(t *testing.T) {
		t.Parallel()
		c := withCounts(t, 1000, conv(H("q"), group, A("z"), H("e")), 100, 10, 200, 100, 100)
		c.Overhead = 1
		wantHistory(t, compressWith(t, highDensity{}, c).NewHistory, `H{"q"}`, marker2, `A{"z"}`, `H{"e"}`)
	})
	t.Run("K-10", func(t *testing.T) {
		t.Parallel()
		c := withCounts(t, 1000, conv(A("a"), group, A("z"), H("e")), 100, 10, 200, 100, 900)
		result := compressWith(t, highDensity{}, c)
		wantHistory(t, result.NewHistory,
			`H{"[4 earlier entries of this conversation were dropped to fit the context limit]"}`, `H{"e"}`)
	})
	t.Run("D-27 calls go before older words", func(t *testing.T) {
		t.Parallel()
		c := withCounts(t, 1000, conv(H("q"), A("plan"), group, A("z"), H("e")), 100, 200, 200, 200, 10, 90)
		wantHistory(t, compressWith(t, highDensity{}, c).NewHistory, `H{"q"}`, `A{"plan"}`, marker2, `A{"z"}`, `H{"e"}`)
	})
	t.Run("D-120 what no request has carried stays, also behind a message typed meanwhile", func(t *testing.T) {
		t.Parallel()
		c := withCounts(t, 1000, conv(H("q"), A("plan"), group, H("e")), 100, 200, 200, 200, 100)
		wantHistory(t, compressWith(t, highDensity{}, c).NewHistory, `H{"q"}`,
			`H{"[1 earlier entry of this conversation was dropped to fit the context limit]"}`, `A{1:x}`, `T{r1="s"}`, `H{"e"}`)
	})
	t.Run("D-27 text in a tool entry, and the user's latest message in a tool loop", func(t *testing.T) {
		t.Parallel()
		entries := conv(H("first"), T("note"), H("latest"), A("a"), group, A("b"), group)
		c := withCounts(t, 100, entries, 100, 100, 100, 100, 100, 100, 100, 100, 100)
		wantHistory(t, compressWith(t, highDensity{}, c).NewHistory,
			`H{"first"}`, `H{"[5 earlier entries of this conversation were dropped to fit the context limit]"}`, `H{"latest"}`, `A{1:x}`, `T{r1="s"}`)
	})
	t.Run("D-28 a drop that frees nothing", func(t *testing.T) {
		t.Parallel()
		c := withCounts(t, 1000, conv(A("a"), H("e")), 5, 900)
		wantNoop(t, compressWith(t, highDensity{}, c), reasonNothing)
	})
}

func TestMarkersAreMerged(t *testing.T) {
	t.Parallel()
	for _, s := range truncatingStrategies {
		t.Run(s.Name(), func(t *testing.T) {
			t.Parallel()
			entries := conv(newMarker(7), A("a"), A("b"), H("x"), A("y"), H("z"))
			// After a round trip through JSON, as in a session log.
			var back history.Content
			if err := back.UnmarshalJSON([]byte(asJSON(t, entries[0]))); err != nil {
				t.Fatal(err)
			}
			entries[0] = &back
			c := withCounts(t, 1000, entries, 5, 200, 200, 200, 200, 10)
			result := compressWith(t, s, c)
			wantHistory(t, result.NewHistory,
				`H{"[9 earlier entries of this conversation were dropped to fit the context limit]"}`, `H{"x"}`, `A{"y"}`, `H{"z"}`)
			if n := droppedBy(result.NewHistory[0]); n != 9 {
				t.Errorf("the marker stands for %d", n)
			}
		})
	}
}

func TestCompressTwice(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("line\n", 200)
	var entries []*history.Content
	for range 20 {
		entries = append(entries, conv(H("question"), ran("read_file", "/w/a", long), ran("run_shell_command", `{"command":"go test"}`, long), A("answer"))...)
	}
	for name, limit := range map[string]int{"K-11 summarised": 1_000_000, "K-11 truncated": 22_000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := contextOf(t, limit, entries)
			first := compressWith(t, highDensity{}, c)
			if !first.Applied || (len(first.NewHistory) < len(entries)) != (limit < 1_000_000) {
				t.Fatalf("the first compression left %d entries of %d", len(first.NewHistory), len(entries))
			}
			second := compressWith(t, highDensity{}, contextOf(t, limit, first.NewHistory))
			if second.Applied {
				t.Errorf("the second compression was applied:\n%s\n\n%s", showAll(first.NewHistory), showAll(second.NewHistory))
			}
		})
	}
}

// TestTopDownTruncation covers D-33.
func TestTopDownTruncation(t *testing.T) {
	t.Parallel()
	group := conv(A(call("1", "x", "{}")), T(res("1", "x", "s")))
	for _, c := range []struct {
		id      string
		entries []*history.Content
		weights []int
		noop    string
		want    []string
	}{
		{id: "empty", noop: reasonEmpty},
		{id: "at the target", entries: conv(H("a"), A("b"), H("c")), weights: []int{300, 200, 10}, noop: reasonAtTarget},
		{id: "one above", entries: conv(H("a"), A("b"), H("c"), A("d")), weights: []int{300, 200, 10, 1}, want: []string{marker1, `A{"b"}`, `H{"c"}`, `A{"d"}`}},
		{id: "whole groups", entries: conv(group, H("c"), A("d")), weights: []int{1, 500, 100, 100}, want: []string{marker2, `H{"c"}`, `A{"d"}`}},
		{id: "exactly at the target is enough", entries: conv(H("a"), A("b"), H("c"), A("d")), weights: []int{300, 200, 295, 10}, want: []string{marker1, `A{"b"}`, `H{"c"}`, `A{"d"}`}},
		{id: "no newer one goes in place of an older", entries: conv(A(call("1", "x", "{}"), call("2", "x", "{}"), call("3", "x", "{}")), T(res("1", "x", "s")), T(res("2", "x", "s")), T(res("3", "x", "s")), A("b")), weights: []int{900, 900, 900, 900, 900}, noop: reasonNothing},
		{id: "nothing is passed over", entries: conv(A("a"), group, A("z"), H("c")), weights: []int{400, 300, 300, 300, 300}, want: []string{marker3, `A{"z"}`, `H{"c"}`}},
		{id: "two remain", entries: conv(H("a"), A("b"), H("c")), weights: []int{300, 900, 900}, want: []string{marker1, `A{"b"}`, `H{"c"}`}},
		{id: "two remain, a group", entries: conv(H("a"), group), weights: []int{300, 900, 900}, noop: reasonNothing},
		{id: "the task of a tool loop stays", entries: conv(H("a"), A("b"), group), weights: []int{100, 500, 100, 100}, want: []string{`H{"a"}`, marker1, `A{1:x}`, `T{r1="s"}`}},
	} {
		t.Run("D-33 "+c.id, func(t *testing.T) {
			t.Parallel()
			result := compressWith(t, topDown{}, withCounts(t, 1000, c.entries, c.weights...))
			if c.noop != "" {
				wantNoop(t, result, c.noop)
				return
			}
			wantHistory(t, result.NewHistory, c.want...)
		})
	}
}
