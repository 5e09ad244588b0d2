package session

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"agent/internal/history"
)

func must(rt failer, err error) {
	rt.Helper()
	if err != nil {
		rt.Fatal(err)
	}
}

// entriesOnDisk returns the entries on disk. There are none before the first entry.
func entriesOnDisk(t *testing.T, l *Log) []*history.Content {
	if !l.disk.wanted {
		return []*history.Content{}
	}
	return replayFile(t, l.Path()).Entries
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

// rebuild replaces the history by some of its entries in any order and new ones, while another
// entry is added.
func rebuild(rt *rapid.T, h *history.Service, fresh func() *history.Content) {
	must(rt, h.Rebuild("test", func([]*history.Content, []int) (history.RebuiltHistory, error) {
		kept := rapid.Permutation(h.RawHistory()).Draw(rt, "order")
		kept = slices.Clone(kept[:rapid.IntRange(0, len(kept)).Draw(rt, "kept")])
		if len(kept) > 0 && rapid.Bool().Draw(rt, "twice") {
			kept = append(kept, kept[0])
		}
		must(rt, h.Add(fresh()))
		return history.RebuiltHistory{Entries: slices.Insert(kept, rapid.IntRange(0, len(kept)).Draw(rt, "place"), fresh())}, nil
	}))
}
