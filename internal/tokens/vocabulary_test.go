package tokens

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"
)

// The sizes are only hints to the allocator, but a wrong one costs memory for good.
// This test runs alone, as what others allocate would count.
func TestVocabularyIsAllocatedOnce(t *testing.T) {
	for _, enc := range encodings {
		v := vocabularyOf(enc)
		if table := v.load(); len(table.offsets)-1 != v.tokens || len(table.arena) != v.bytes {
			t.Errorf("%s has %d tokens of %d bytes, vocabularyOf says %d and %d",
				enc, len(table.offsets)-1, len(table.arena), v.tokens, v.bytes)
		}
		if allocations := testing.AllocsPerRun(1, func() { v.load() }); allocations > 20 {
			t.Errorf("%s takes %v allocations to load, want a constant number", enc, allocations)
		}
	}
}

func TestReadRanks(t *testing.T) {
	t.Parallel()
	table := newRankTable(3, 4)
	if err := readRanks(strings.NewReader("YQ== 0\nYg== 1\nYWI= 2"), table); err != nil {
		t.Fatal(err)
	}
	for rank, token := range []string{"a", "b", "ab"} {
		if got := table.rank(token); got != uint32(rank) {
			t.Errorf("rank of %q is %d, want %d", token, got, rank)
		}
	}
	for _, other := range []string{"", "c", "ba", "abc"} {
		if got := table.rank(other); got != noRank {
			t.Errorf("rank of %q is %d, want none", other, got)
		}
	}
}

func TestReadRanksRefusesDamage(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ file, want string }{
		"gap in the ranks": {"YQ== 0\nYg== 2\n", `line 2: rank is "2", want 1`},
		"no rank":          {"YQ==\n", `line 1: rank is "", want 0`},
		"not base64":       {"YQ== 0\n!!!! 1\n", "line 2: illegal base64"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := readRanks(strings.NewReader(test.file), newRankTable(2, 2))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want %q in it", err, test.want)
			}
		})
	}
	broken := errors.New("broken")
	if err := readRanks(iotest.ErrReader(broken), newRankTable(1, 1)); !errors.Is(err, broken) {
		t.Errorf("error is %v, want %v", err, broken)
	}
}
