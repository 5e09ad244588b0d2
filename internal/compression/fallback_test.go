package compression

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"agent/internal/history"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// reduceChecked runs the fallback steps and checks the invariants of every run.
func reduceChecked(t rapid.TB, in FallbackInput) (FallbackResult, []FallbackName, error) {
	t.Helper()
	before := asJSON(t, in.History)
	result, err := Reduce(in)
	if asJSON(t, in.History) != before {
		t.Errorf("the input changed")
	}
	var names []FallbackName
	total := in.Total()
	for _, r := range result.Steps {
		names = append(names, r.Name)
		if r.TokensBefore != total {
			t.Errorf("%s starts from %d, the step before ended at %d", r.Name, r.TokensBefore, total)
		}
		total = r.TokensAfter
	}
	_, last := outerHumans(in.History)
	if err != nil {
		var overflow *ContextOverflowError
		if !errors.As(err, &overflow) {
			t.Fatalf("not a ContextOverflowError: %v", err)
		}
		message := 0
		if last >= 0 {
			message = in.Count(necessaryPart(in.History, last))
		} else if len(in.History) > 0 {
			message = in.Count(newMarker(len(in.History)))
		}
		unreadMarker := slices.ContainsFunc(in.History, func(c *history.Content) bool { return isMarker(c) && len(unreadIn(c, nil).fates) > 0 })
		if unreadMarker {
			message += in.Count(gap{entries: len(in.History), unread: unread{fates: map[string]int{"success": 100, "error": 100, "not answered": 100, "exit 1": 100}}}.marker())
		}
		if made := latestCalls(in.History); made < len(in.History) {
			message += in.Count(gap{entries: len(in.History), unread: unread{fates: map[string]int{"success": 100, "error": 100, "not answered": 100, "exit 1": 100}}}.marker())
			message += in.Count(history.New(history.AI, &history.Text{Text: middleCut(in.History[made].Text(), brief.head)}))
		}
		if in.Overhead+message+in.Reserve <= in.ContextLimit {
			t.Errorf("D-30: refused although it fits: %v", err)
		}
		return result, names, err
	}
	fresh := in.Overhead
	markers := 0
	for _, c := range result.History {
		fresh += in.Count(c)
		if isMarker(c) {
			markers++
		}
	}
	if fresh != result.TokensAfter || fresh != total {
		t.Errorf("tokens after: %d told, %d announced, %d counted", result.TokensAfter, total, fresh)
	}
	if fresh+in.Reserve > in.ContextLimit {
		t.Errorf("D-30: %d + reserve %d > limit %d", fresh, in.Reserve, in.ContextLimit)
	}
	if markers > 1 {
		t.Errorf("%d markers", markers)
	}
	if last >= 0 && !slices.ContainsFunc(result.History, func(c *history.Content) bool { return sameText(c, in.History[last]) }) {
		t.Errorf("the last message of the user is gone")
	}
	if n := len(in.History); last == n-1 && n > 0 && last >= 0 && result.History[len(result.History)-1] != in.History[last] {
		t.Errorf("D-47: a message that nobody has answered lost its files")
	}
	if history.Validate(in.History) == nil {
		if err := history.Validate(result.History); err != nil {
			t.Errorf("D-32: %v", err)
		}
	}
	return result, names, nil
}

// necessaryPart returns the part of the message last that must stay. It is the whole message, or its
// text without files after the model has replied.
func necessaryPart(entries []*history.Content, last int) *history.Content {
	if last < len(entries)-1 {
		return withoutInclusions(entries[last])
	}
	return entries[last]
}

// sameText reports whether a is b, or b without its included files (D-47).
func sameText(a, b *history.Content) bool {
	return a == b || a.Speaker == b.Speaker && slices.EqualFunc(a.Blocks, withoutInclusions(b).Blocks, func(x, y history.Block) bool {
		tx, ok := x.(*history.Text)
		ty, also := y.(*history.Text)
		return x == y || ok && also && tx.Text == ty.Text
	})
}

// TestFallbackGuarantee checks the guarantee of D-30 for every history, whatever the strategy has
// done before.
func TestFallbackGuarantee(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		entries := genHistory(rt)
		limit := pick(rt, []int{0, 100, 300, 1000, 3000, 10_000})
		in := FallbackInput{Context: contextOf(rt, limit, entries)}
		in.Reserve = pick(rt, []int{0, limit / 4, limit / 2})
		in.Overhead = pick(rt, []int{0, 50})
		in.Threshold = pick(rt, []float64{0.1, 0.85, 1})
		in.PreserveThreshold = pick(rt, []float64{0, 0.2, 1})
		if rapid.Bool().Draw(rt, "compressed before") {
			in.Done = compressWith(rt, pick(rt, strategies), in.Context)
			in.Context = recounted(in.Context, in.Done.NewHistory)
		}
		result, names, _ := reduceChecked(rt, in)
		if in.Done.Metadata.StrategyUsed == DefaultName && slices.Contains(names, FallbackHighDensity) {
			rt.Error("D-42: high-density compressed twice")
		}
		if rt.Failed() {
			rt.Logf("after %q, limit %d, before\n%s\nafter\n%s", in.Done.Metadata.StrategyUsed, limit, showAll(entries), showAll(result.History))
		}
	})
}

// recounted returns a context with other entries.
func recounted(c Context, entries []*history.Content) Context {
	c.History, c.Tokens = entries, make([]int, len(entries))
	for i, entry := range entries {
		c.Tokens[i] = c.Count(entry)
	}
	return c
}

// TestFallbackSteps covers scenario S-07 after the first compression. The steps run in order, each is
// announced, and none runs after the first sufficient one.
func TestFallbackSteps(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("line\n", 400) // 2000 tokens
	turn := func(q string) []*history.Content { return conv(H(q), ran("read_file", "/w/"+q, long), A("ok "+q)) }
	turns := conv(turn("a"), turn("b"), turn("c"), turn("d"), turn("e"))
	loop := conv(H("task"))
	for i := range 30 {
		loop = append(loop, ran("grep", fmt.Sprintf(`{"pattern":"p%d"}`, i), long)...)
	}
	wide := conv(H("task"), A(call("1", "read_file", "x"), call("2", "read_file", "y")), T(res("1", "read_file", long+long)), T(res("2", "read_file", long)))
	big := conv(H("first "+long), H("second "+long), A("ok"), H("last"), A("sure", call("1", "grep", "{}")), T(res("1", "grep", "hit")))
	verbatim := func(i int) string { return show(loop[2+2*i]) }
	body := conv(H("task"), A("now", call("1", "write_file", fmt.Sprintf(`{"file_path":"/w/a","content":%q}`, long))), T(res("1", "write_file", "ok")))
	huge := conv(H("task"), A(call("1", "write_file", long)), T(res("1", "write_file", "ok")))
	for _, c := range []struct {
		id      string
		limit   int
		entries []*history.Content
		// done is the strategy that ran before. It is nil if there was none.
		done  Strategy
		steps []FallbackName
		has   []string
	}{
		{"fits", 20_000, turns, nil, nil, nil},
		{"after another strategy", 6000, turns, nil, []FallbackName{FallbackHighDensity}, []string{"[read_file: /w/a — success, 400 lines]", "ok e"}},
		{"a tool loop", 9000, loop, highDensity{}, []FallbackName{FallbackShorterTail}, []string{"task", "52 earlier entries", verbatim(26), verbatim(27), verbatim(28), verbatim(29)}},
		{"results that were seen first", 4000, wide, highDensity{}, []FallbackName{FallbackCutResults}, []string{"[cut: 800 lines are too large for the context window; read a range]", "[cut: 400 lines"}},
		{"calls that are long", 1500, body, highDensity{}, []FallbackName{FallbackShortenCalls}, []string{`A{"now", 1:write_file}`, "T{r1=\"ok\"}"}},
		{"drops whole turns", 300, big, highDensity{}, []FallbackName{FallbackDropTurns}, []string{`H{"[3 earlier entries`, `H{"last"}`, "A{\"sure\", 1:grep}", `T{r1="hit"}`}},
		{"calls too large by themselves", 250, huge, highDensity{}, []FallbackName{FallbackLatest}, []string{`H{"task"}`, `H{"[2 earlier entries`, "outcomes of your latest calls: 1 success"}},
	} {
		t.Run("S-07 "+c.id, func(t *testing.T) {
			t.Parallel()
			in := FallbackInput{Context: contextOf(t, c.limit, c.entries)}
			if c.done != nil {
				in.Done = compressWith(t, c.done, in.Context)
				in.Context = recounted(in.Context, in.Done.NewHistory)
			}
			result, names, err := reduceChecked(t, in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.steps, names); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
			for _, part := range c.has {
				if !strings.Contains(showAll(result.History), part) {
					t.Errorf("%q is not in\n%s", part, showAll(result.History))
				}
			}
		})
	}
}

// The last fallback step alone removes whole turns, and then the last turn from its start. The
// newest calls are removed last, and the message never.
func TestDropTurns(t *testing.T) {
	t.Parallel()
	group := func(id string) []*history.Content {
		return conv(A(call(id, "x", "{}")), T(res(id, "x", "s")))
	}
	entries := conv(H("one"), A("a"), H("two"), A("b"), group("1"), H("now"), A("c"), group("2"), A("d"), group("3"))
	for _, c := range []struct {
		room int
		want []string
	}{
		{1105, []string{`H{"[2 earlier`, `H{"two"}`, `A{"b"}`, "A{1:x}", `T{r1="s"}`, `H{"now"}`, `A{"c"}`, "A{2:x}", `T{r2="s"}`, `A{"d"}`, "A{3:x}", `T{r3="s"}`}},
		{1104, []string{`H{"[6 earlier`, `H{"now"}`, `A{"c"}`, "A{2:x}", `T{r2="s"}`, `A{"d"}`, "A{3:x}", `T{r3="s"}`}},
		{650, []string{`H{"[7 earlier`, `H{"now"}`, "A{2:x}", `T{r2="s"}`, `A{"d"}`, "A{3:x}", `T{r3="s"}`}},
		{404, []string{`H{"[10 earlier`, `H{"now"}`, "A{3:x}", `T{r3="s"}`}},
		{304, []string{`H{"[12 earlier`, `H{"now"}`}},
		{105, []string{`H{"[12 earlier`, `H{"now"}`}},
	} {
		in := withCounts(t, c.room, entries, slices.Repeat([]int{100}, len(entries))...)
		l := &reduction{Context: in, room: c.room}
		l.dropTurns()
		if !l.fits() {
			l.cutLatest()
		}
		got := make([]string, len(l.History))
		for i, entry := range l.History {
			got[i] = show(entry)
			if isMarker(entry) {
				got[i], _, _ = strings.Cut(got[i], " entr")
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("room %d (-want +got):\n%s", c.room, diff)
		}
	}
}

// A history without a user message is reduced to the marker in the worst case.
func TestFallbackWithoutUserMessage(t *testing.T) {
	t.Parallel()
	entries := conv(A(strings.Repeat("x", 500)))
	result, _, err := reduceChecked(t, FallbackInput{Context: contextOf(t, 200, entries)})
	if err != nil {
		t.Fatal(err)
	}
	wantHistory(t, result.History, marker1)
	if _, _, err := reduceChecked(t, FallbackInput{Context: contextOf(t, 50, entries)}); err == nil {
		t.Error("no error although not even the marker fits")
	}
	if result, _, err := reduceChecked(t, FallbackInput{Context: contextOf(t, 50, nil)}); err != nil || len(result.History) > 0 {
		t.Errorf("an empty history gives %v, %v", result, err)
	}
}

// If the necessary part is already too large, the error contains the numbers and no step is
// announced (D-30).
func TestContextOverflow(t *testing.T) {
	t.Parallel()
	in := FallbackInput{Context: contextOf(t, 1000, conv(H("old"), A("ok"), H(strings.Repeat("x", 500))))}
	in.Overhead, in.Reserve = 400, 250
	_, names, err := reduceChecked(t, in)
	var overflow *ContextOverflowError
	if !errors.As(err, &overflow) || len(names) > 0 {
		t.Fatalf("got %v after %v", err, names)
	}
	if want := (ContextOverflowError{Overhead: 400, Message: in.Tokens[2], Reserve: 250, Limit: 1000}); *overflow != want {
		t.Errorf("got %+v, want %+v", *overflow, want)
	}
	for _, part := range []string{"400", fmt.Sprint(in.Tokens[2]), "250", "1000", "context-limit", "max-output-tokens"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %s", err, part)
		}
	}
}
