package session

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"agent/internal/history"
)

// TestReplayGivesTheLiveHistory is D-24: whatever is done to a history, in whatever
// order, and however often the session is closed and taken up in between, the
// log replays to what was live, and to what a plain reader makes of it.
func TestReplayGivesTheLiveHistory(t *testing.T) {
	t.Parallel()
	o := options(t)
	rapid.Check(t, func(rt *rapid.T) {
		l := create(t, o)
		weaken(l) // forcing thousands of records to disk proves nothing here
		h := live(l.Observe)
		next := 0
		fresh := func() *history.Content {
			next++
			return history.New(rapid.SampledFrom([]history.Speaker{history.Human, history.AI, history.Tool}).Draw(rt, "speaker"),
				&history.Text{Text: fmt.Sprint(next)}).WithMeta("n", next)
		}
		rt.Repeat(map[string]func(*rapid.T){
			"add":     func(*rapid.T) { must(rt, h.Add(fresh())) },
			"density": func(*rapid.T) { must(rt, h.ApplyDensityResult(anyDensity(rt, h.Len(), fresh))) },
			"replace": func(*rapid.T) { rebuild(rt, h, fresh) },
			"pin": func(rt *rapid.T) {
				must(rt, h.Pin(fmt.Sprint("/w/", rapid.IntRange(0, 2).Draw(rt, "file")), rapid.Bool().Draw(rt, "pinned")))
			},
			"todo": func(*rapid.T) { next++; must(rt, l.Todo(fmt.Appendf(nil, "[%d]", next))) },
			"clear": func(*rapid.T) {
				if rapid.IntRange(0, 9).Draw(rt, "rarely") == 0 {
					must(rt, h.Clear())
				}
			},
			"resume": func(*rapid.T) {
				if !l.disk.wanted || rapid.IntRange(0, 3).Draw(rt, "seldom") > 0 {
					return
				}
				must(rt, l.Close())
				again, state, err := Resume(l.Path(), o)
				must(rt, err)
				sameEntries(rt, state.Entries, h.RawHistory())
				l, h = again, live(again.Observe)
				weaken(l)
				must(rt, h.Restore(state.Entries))
			},
			"replay": func(*rapid.T) { sameEntries(rt, recorded(t, l), h.RawHistory()) },
		})
		sameEntries(rt, recorded(t, l), h.RawHistory())
		if l.disk.wanted {
			sameAsOracle(rt, l.Path(), replayFile(t, l.Path()), math.MaxUint64)
		}
		must(rt, l.Close())
	})
}

// recorded is what is on disk: nothing before the first entry.
func recorded(t *testing.T, l *Log) []*history.Content {
	if !l.disk.wanted {
		return []*history.Content{}
	}
	return replayFile(t, l.Path()).Entries
}

func must(rt failer, err error) {
	rt.Helper()
	if err != nil {
		rt.Fatal(err)
	}
}

func sameEntries(rt *rapid.T, got, want []*history.Content) {
	rt.Helper()
	if a, b := toJSON(rt, got), toJSON(rt, want); a != b {
		rt.Fatalf("the log has\n%s\nlive is\n%s", a, b)
	}
}

// anyDensity removes some entries and replaces others.
func anyDensity(rt *rapid.T, n int, fresh func() *history.Content) history.DensityResult {
	result := history.DensityResult{Replacements: map[int]*history.Content{}}
	for i := range n {
		switch rapid.IntRange(0, 4).Draw(rt, "fate") {
		case 0:
			result.Removals = append(result.Removals, i)
			result.Prunes = append(result.Prunes, history.Prune{Kind: "stale-read", Entry: i})
		case 1:
			result.Replacements[i] = fresh()
		}
	}
	return result
}

// rebuild replaces the history by some of its entries, in any order, and new ones,
// while another arrives.
func rebuild(rt *rapid.T, h *history.Service, fresh func() *history.Content) {
	must(rt, h.Rebuild("test", func([]*history.Content, []int) (history.Rebuilt, error) {
		kept := rapid.Permutation(h.RawHistory()).Draw(rt, "order")
		kept = slices.Clone(kept[:rapid.IntRange(0, len(kept)).Draw(rt, "kept")])
		if len(kept) > 0 && rapid.Bool().Draw(rt, "twice") {
			kept = append(kept, kept[0])
		}
		must(rt, h.Add(fresh()))
		return history.Rebuilt{Entries: slices.Insert(kept, rapid.IntRange(0, len(kept)).Draw(rt, "place"), fresh())}, nil
	}))
}
