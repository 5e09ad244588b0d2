package atcmd

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sahilm/fuzzy"
	"pgregory.net/rapid"

	"agent/internal/git/ignore"
)

// best keeps only as many names as it proposes. The result equals the first names of the sorted
// list.
func TestBestEqualsTheSortedList(t *testing.T) {
	t.Parallel()
	part := rapid.SampledFrom([]string{"a", "b", "ab", "ba", "abc", "c", "main", "mod", "É", "K"})
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(part, 1, 5).Draw(t, "parts"), rapid.SampledFrom([]string{"/", ""}).Draw(t, "by")) + rapid.SampledFrom([]string{"", "", "/"}).Draw(t, "end")
		}), 1, 300, rapid.ID[string]).Draw(t, "names")
		slices.Sort(names)
		recent := rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, min(5, len(names)), rapid.ID[string]).Draw(t, "recent")
		typed := rapid.SampledFrom([]string{"a", "ab", "mod/a", "c", "main/", "acb", "x", "mda", "kb", "é"}).Draw(t, "typed")
		paths := ignore.NewPaths(names...)
		got, want := best(typed, &paths, recent), simpleBest(typed, names, recent)
		got, want = got[:min(len(got), maxCompletions)], want[:min(len(want), maxCompletions)]
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q (-want +got):\n%s", typed, diff)
		}
	})
}

// simpleBest is a simple version of best.
func simpleBest(typed string, names, recent []string) (found []string) {
	var begin, called []candidate
	var rest []string
	lately := func(name string) int {
		if i := slices.Index(recent, name); i >= 0 {
			return i - len(recent)
		}
		return 0
	}
	for _, name := range names {
		base := name[strings.LastIndexByte(strings.TrimSuffix(name, "/"), '/')+1:]
		switch {
		case strings.HasPrefix(name, typed):
			begin = append(begin, candidate{name, lately(name), 0})
		case strings.HasPrefix(base, typed):
			called = append(called, candidate{name, lately(name), len(name)})
		default:
			rest = append(rest, name)
		}
	}
	var lettered []candidate
	if len(begin)+len(called) < maxCompletions {
		for _, match := range fuzzy.FindNoSort(typed, rest) {
			lettered = append(lettered, candidate{match.Str, lately(match.Str), -match.Score})
		}
	}
	for _, fitting := range [][]candidate{begin, called, lettered} {
		slices.SortStableFunc(fitting, better)
		for _, c := range fitting {
			found = append(found, c.name)
		}
	}
	return found
}
