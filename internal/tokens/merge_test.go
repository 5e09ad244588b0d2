package tokens

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// parts returns the current parts of the piece.
func (m *merger) parts() []string {
	var parts []string
	for start := 0; start < len(m.piece); start += m.partAt(start) {
		parts = append(parts, m.piece[start:start+m.partAt(start)])
	}
	return parts
}

// The package comment shows these steps.
func TestMergeAsDocumented(t *testing.T) {
	t.Parallel()
	merge := &merger{ranks: NewCounter(O200K).ranks}
	merge.reset(" unmerged")
	var states []string
	for more := true; more; more = merge.step() {
		state := strings.ReplaceAll(strings.Join(merge.parts(), "|"), " ", "␣")
		if !slices.Contains(states, state) {
			states = append(states, state)
		}
	}
	want := []string{
		"␣|u|n|m|e|r|g|e|d", "␣|u|n|m|er|g|e|d", "␣|u|n|m|er|g|ed", "␣u|n|m|er|g|ed", "␣un|m|er|g|ed",
		"␣un|mer|g|ed", "␣un|mer|ged", "␣un|merged",
	}
	if !slices.Equal(states, want) {
		t.Errorf("steps are %q, want %q", states, want)
	}
}

// The three merge algorithms agree. The plain one is the specification of the heap, and the heap
// is the specification of the windows.
func TestMergesAgree(t *testing.T) {
	t.Parallel()
	for _, enc := range encodings {
		ranks := NewCounter(enc).ranks
		merge := &merger{ranks: ranks}
		t.Run(string(enc), rapid.MakeCheck(func(t *rapid.T) {
			short := genPiece(t, 64)
			merge.run(short)
			if got, want := len(merge.parts()), mergePlainly(ranks, short); got != want {
				t.Errorf("the heap makes %d parts of %q, the plain merge %d", got, short, want)
			}
			long := genPiece(t, 4000)
			merge.run(long)
			want := len(merge.parts())
			if got := mergeWindowed(merge, long, 1<<10); got != want {
				t.Errorf("windows make %d parts of %q, the heap %d", got, long, want)
			}
		}))
	}
}

// mergePlainly merges a piece pair by pair, in quadratic time, and returns the number of parts.
func mergePlainly(ranks rankTable, piece string) int {
	var parts []string
	for i := range len(piece) {
		parts = append(parts, piece[i:i+1])
	}
	for {
		best, at := uint32(noRank), 0
		for i := range len(parts) - 1 {
			if rank := ranks.rank(parts[i] + parts[i+1]); rank < best {
				best, at = rank, i
			}
		}
		if best == noRank {
			return len(parts)
		}
		parts = slices.Replace(parts, at, at+2, parts[at]+parts[at+1])
	}
}

// genPiece draws a text of 1 to limit bytes from repeated characters and from parts of words.
func genPiece(t *rapid.T, limit int) string {
	unit := rapid.OneOf(
		rapid.StringMatching(`[a-zA-Z]{1,9}`),
		rapid.SampledFrom([]string{" ", "a", "ab", "=", "-=", "\n", "\r\n", "0", "漢", "字", "é", "\u0301", "👍"}),
	)
	var piece strings.Builder
	for _, s := range rapid.SliceOfN(unit, 1, 20).Draw(t, "units") {
		piece.WriteString(strings.Repeat(s, rapid.IntRange(1, 200).Draw(t, "times")))
	}
	text := piece.String()
	return text[:min(len(text), rapid.IntRange(1, limit).Draw(t, "length"))]
}

// In this vocabulary the last byte decides how the first bytes are merged, because each pair is
// better than the one to its left. A window that ends earlier cuts the text wrongly. This must be
// detected.
func TestWindowTooSmall(t *testing.T) {
	t.Parallel()
	var tokens []string
	for b := range 256 {
		tokens = append(tokens, string([]byte{byte(b)}))
	}
	for b := 254; b >= 0; b-- {
		tokens = append(tokens, string([]byte{byte(b), byte(b + 1)}))
	}
	ranks := tableOf(t, tokens)
	var chain []byte
	for b := range 255 {
		chain = append(chain, byte(b))
	}
	merge := &merger{ranks: ranks}
	if count, ok := countInWindows(merge, string(chain), 64); ok {
		t.Errorf("windows of 64 bytes make %d parts and nobody notices", count)
	}
	if got := mergeWindowed(merge, string(chain), 64); got != 128 {
		t.Errorf("growing windows make %d parts, want a byte and 127 pairs", got)
	}
}

// A window that is too small costs time, because the merge starts again.
func TestFirstWindowSuffices(t *testing.T) {
	t.Parallel()
	for _, enc := range encodings {
		merge := &merger{ranks: NewCounter(enc).ranks}
		for name, text := range adversarial {
			if _, ok := countInWindows(merge, text(8*firstWindow), firstWindow); !ok {
				t.Errorf("%s, %s: windows of %d bytes are too small", enc, name, firstWindow)
			}
		}
	}
}

func TestLongMergeTakesLinearlyManySteps(t *testing.T) {
	t.Parallel()
	const size = 16 << 10
	for _, enc := range encodings {
		merge := &merger{ranks: NewCounter(enc).ranks}
		for name, text := range adversarial {
			piece := text(size)
			steps := 0
			for merge.reset(piece); merge.step(); steps++ {
			}
			if steps > 3*len(piece) {
				t.Errorf("%s, %s: %d steps for %d bytes", enc, name, steps, len(piece))
			}
		}
	}
}
