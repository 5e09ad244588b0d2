package compression

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"agent/internal/history"

	"pgregory.net/rapid"
)

// optimizedHistory is one run of Optimize over a generated history.
type optimizedHistory struct {
	config        DensityConfig
	before, after []*history.Content
	result        history.DensityResult
}

// checkOptimize runs property on generated histories. It also checks P-1, because applying an
// invalid result returns an error.
func checkOptimize(t *testing.T, property func(*rapid.T, optimizedHistory)) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		o := optimizedHistory{config: genConfig(rt), before: genHistory(rt)}
		snapshot := asJSON(rt, o.before)
		result, err := highDensity{}.Optimize(o.before, o.config)
		if err != nil {
			rt.Fatal(err)
		}
		if asJSON(rt, o.before) != snapshot {
			rt.Fatal("O-03: the input changed")
		}
		service := history.NewService(charCounter{}, nil)
		if err := service.Restore(o.before); err != nil {
			rt.Fatal(err)
		}
		if err := service.ApplyDensityResult(result); err != nil {
			rt.Fatalf("P-1: %v", err)
		}
		o.result, o.after = result, service.RawHistory()
		property(rt, o)
		if rt.Failed() {
			rt.Logf("before\n%s\nafter\n%s", showAll(o.before), showAll(o.after))
		}
	})
}

// TestP1ResultsApply covers REQ-HD-001.5, REQ-HD-001.6 and REQ-HD-001.7.
func TestP1ResultsApply(t *testing.T) {
	checkOptimize(t, func(t *rapid.T, o optimizedHistory) {
		if !slices.IsSorted(o.result.Removals) {
			t.Errorf("removals are not in order: %v", o.result.Removals)
		}
	})
}

// TestP2Idempotent covers D-17.
func TestP2Idempotent(t *testing.T) {
	checkOptimize(t, func(t *rapid.T, o optimizedHistory) {
		again, err := highDensity{}.Optimize(o.after, o.config)
		if err != nil || !again.Empty() || again.Metadata.Total() > 0 {
			t.Errorf("P-2: the second run finds %+v, %v", again, err)
		}
	})
}

// P-3, P-4 and P-5 are compared with the simple rules: exactly the necessary blocks are removed.
func TestP3P4AgainstPlainRules(t *testing.T) {
	checkOptimize(t, func(t *rapid.T, o optimizedHistory) {
		stale := plainStale(o.before, o.config)
		old := plainOld(o.before, o.config, stale)
		left := make(map[history.Block]bool)
		for _, entry := range o.after {
			for _, block := range entry.Blocks {
				left[block] = true
			}
		}
		for i, entry := range o.before {
			for j, block := range entry.Blocks {
				switch block.(type) {
				case *history.ToolCall, *history.ToolResponse:
					if gone := stale[block] || old[block]; left[block] == gone {
						t.Errorf("P-3, P-4: block %d of entry %d: is left %t, must go %t", j, i, left[block], gone)
					}
				}
			}
		}
		m := o.result.Metadata
		calls := 0
		for block := range stale {
			if _, ok := block.(*history.ToolCall); ok {
				calls++
			}
		}
		if m.CountOf("stale-read") != calls || m.CountOf("old-result") != len(old) {
			t.Errorf("P-7: %+v, want %d reads and %d old results", m, calls, len(old))
		}
	})
}

func TestP5CallsKeepTheirResponses(t *testing.T) {
	checkOptimize(t, func(t *rapid.T, o optimizedHistory) {
		responses := make(map[*history.ToolCall]int)
		before, after := history.PairCalls(o.before), history.PairCalls(o.after)
		for _, pair := range before.Pairs {
			responses[pair.Call] = len(pair.Responses)
		}
		for _, pair := range after.Pairs {
			if responses[pair.Call] != len(pair.Responses) {
				t.Errorf("P-5: the call at %v had %d responses and has %d", pair.At, responses[pair.Call], len(pair.Responses))
			}
		}
		if len(before.Orphans) != len(after.Orphans) {
			t.Errorf("P-5: %d orphans became %d", len(before.Orphans), len(after.Orphans))
		}
		if history.Validate(o.before) == nil {
			if err := history.Validate(o.after); err != nil {
				t.Errorf("D-32: %v", err)
			}
		}
	})
}

func TestP6ReplacementsKeepTheirEntry(t *testing.T) {
	checkOptimize(t, func(t *rapid.T, o optimizedHistory) {
		for i, c := range o.result.Replacements {
			old := o.before[i]
			if c.Speaker != old.Speaker || len(c.Blocks) == 0 || len(c.Metadata) != len(old.Metadata) {
				t.Errorf("P-6: entry %d was %s and is %s", i, show(old), show(c))
			}
		}
	})
}

// TestP7CountsEqualTheChanges covers REQ-HD-001.8 and REQ-HD-013.7.
func TestP7CountsEqualTheChanges(t *testing.T) {
	checkOptimize(t, func(t *rapid.T, o optimizedHistory) {
		want := [3]int{
			countCalls(o.before) - countCalls(o.after),
			countInclusions(o.before) - countInclusions(o.after),
			countPointers(o.after) - countPointers(o.before) + stalePointers(o),
		}
		if md(o.result.Metadata) != want {
			t.Errorf("P-7: counts %v, changed %v", o.result.Metadata, want)
		}
		if m := o.result.Metadata; m.Total() != len(o.result.Prunes) {
			t.Errorf("P-7: %d prunes explained, counts %v", len(o.result.Prunes), m)
		}
	})
}

func countCalls(entries []*history.Content) int { return len(history.PairCalls(entries).Pairs) }

func countInclusions(entries []*history.Content) int {
	n := 0
	for _, c := range entries {
		for _, block := range c.Blocks {
			if text, ok := block.(*history.Text); ok && c.Speaker == history.Human {
				n += len(history.Inclusions(text))
			}
		}
	}
	return n
}

func countPointers(entries []*history.Content) int {
	n := 0
	for _, c := range entries {
		for _, block := range c.Blocks {
			if r, ok := block.(*history.ToolResponse); ok && r.Result.Text() == PrunedPlaceholder {
				n++
			}
		}
	}
	return n
}

// stalePointers counts the placeholders that were removed together with their stale read.
func stalePointers(o optimizedHistory) int {
	n := 0
	for _, p := range o.result.Prunes {
		if p.Kind == staleReads.Kind {
			n += countPointers([]*history.Content{history.New(history.Tool, p.Gone...)})
		}
	}
	return n
}

var stubLine = regexp.MustCompile(`\[[^\[\]]*: included again later\]$`)

// TestP8HumanWordsSurvive covers D-21.
func TestP8HumanWordsSurvive(t *testing.T) {
	checkOptimize(t, func(t *rapid.T, o optimizedHistory) {
		var before, after []string
		for _, c := range o.before {
			before = append(before, humanWords(c))
		}
		for _, c := range o.after {
			after = append(after, humanWords(c))
		}
		if want, got := strings.Join(before, ""), strings.Join(after, ""); want != got {
			t.Errorf("P-8: the words %q became %q", want, got)
		}
	})
}

// humanWords returns the user's text around inclusions. Blank messages, which are never sent,
// return "".
func humanWords(c *history.Content) string {
	if c.Speaker != history.Human {
		return ""
	}
	words := ""
	for _, block := range c.Blocks {
		text, ok := block.(*history.Text)
		if !ok {
			continue
		}
		end := 0
		for _, inclusion := range history.Inclusions(text) {
			words += text.Text[end:inclusion.Start]
			end = inclusion.End
		}
		words += stubLine.ReplaceAllString(text.Text[end:], "")
	}
	if strings.TrimSpace(words) == "" {
		return ""
	}
	return words
}

// TestCompressProperties covers D-25, D-26, D-27, D-28, D-32 and D-33 for every strategy and any
// history.
func TestCompressProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		entries := genHistory(rt)
		c := contextOf(rt, rapid.IntRange(0, 20_000).Draw(rt, "limit"), entries)
		c.PreserveThreshold = pick(rt, []float64{0, 0.2, 0.5, 1})
		c.Overhead = pick(rt, []int{0, 100})
		s := pick(rt, strategies)
		result := compressWith(rt, s, c)
		if history.Validate(entries) == nil {
			if err := history.Validate(result.NewHistory); err != nil {
				rt.Errorf("D-32: %v", err)
			}
		}
		first, last := outerHumans(entries)
		kept := func(i int) bool {
			return slices.ContainsFunc(result.NewHistory, func(c *history.Content) bool { return sameText(c, entries[i]) })
		}
		if last >= 0 && !kept(last) {
			rt.Error("the latest message of the user is gone")
		}
		if first >= 0 && s == Strategy(highDensity{}) && !kept(first) {
			rt.Error("D-27: the first message of the user is gone")
		}
		if rt.Failed() {
			rt.Logf("%s, before\n%s\nafter\n%s", s.Name(), showAll(entries), showAll(result.NewHistory))
		}
	})
}

// Without new entries a second compression finds nothing to do, for any history and limit, even
// after a round trip through the session log (D-43, K-11).
func TestCompressTwiceIsANoOp_D43(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := contextOf(rt, rapid.IntRange(0, 20_000).Draw(rt, "limit"), genHistory(rt))
		c.PreserveThreshold = pick(rt, []float64{0, 0.2, 0.5, 1})
		c.Overhead = pick(rt, []int{0, 100})
		c.Reserve = pick(rt, []int{0, c.ContextLimit / 4})
		s := pick(rt, strategies)
		first := compressWith(rt, s, c)
		again := make([]*history.Content, len(first.NewHistory))
		for i, entry := range first.NewHistory {
			again[i] = &history.Content{}
			if err := again[i].UnmarshalJSON([]byte(asJSON(rt, entry))); err != nil {
				rt.Fatal(err)
			}
		}
		if second := compressWith(rt, s, recounted(c, again)); second.Applied {
			rt.Errorf("%s, before\n%s\nonce\n%s\ntwice\n%s", s.Name(), showAll(c.History), showAll(again), showAll(second.NewHistory))
		}
	})
}

// The target of a compression is below its trigger, and leaves the reserve for the reply free
// (D-40).
func TestTargetIsBelowTheTrigger_D40(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := Context{
			ContextLimit: rapid.IntRange(1000, 2_000_000).Draw(rt, "limit"),
			Threshold:    rapid.Float64Range(0.01, 1).Draw(rt, "threshold"),
		}
		c.Reserve = rapid.IntRange(0, c.ContextLimit-1).Draw(rt, "reserve")
		c.Overhead = rapid.IntRange(0, max(0, c.Trigger()-1)).Draw(rt, "overhead")
		if target, trigger := c.Target(), c.Trigger(); target >= trigger || trigger > c.ContextLimit-c.Reserve {
			rt.Errorf("target %d, trigger %d, %d without the reserve", target, trigger, c.ContextLimit-c.Reserve)
		}
		if target, room := c.Target()-c.Overhead, c.Trigger()-c.Overhead; room > 2 && (target > room*6/10+1 || target < room*6/10-1) {
			rt.Errorf("target %d of the %d between overhead and trigger", target, room)
		}
		if c.Reserve = 0; c.Overhead == 0 {
			if want := int(c.Threshold * float64(c.ContextLimit) * 0.6); c.Target() != want && c.Trigger() > want {
				rt.Errorf("REQ-HD-008.6: target %d, want %d", c.Target(), want)
			}
		}
	})
}
