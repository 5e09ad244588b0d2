package style

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTailFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		width, height := rapid.IntRange(1, 40).Draw(t, "width"), rapid.IntRange(0, 6).Draw(t, "height")
		rows := Tail(text, width, height)
		if len(rows) > height {
			t.Fatalf("%d rows, %d allowed", len(rows), height)
		}
		for _, row := range rows {
			if Width(row) > max(2, width) {
				t.Fatalf("%q is wider than %d", row, width)
			}
		}
	})
}

// The cost of the tail does not grow with the block. The test counts allocations, so it is not
// parallel.
func TestTailDoesNotReadTheWholeBlock(t *testing.T) {
	text := strings.Repeat("word ", 1<<18)
	if n := testing.AllocsPerRun(3, func() { Tail(text, 80, 10) }); n > 3000 {
		t.Errorf("%v allocations for ten rows", n)
	}
}

// BenchmarkTail measures the tail of a very long block.
func BenchmarkTail(b *testing.B) {
	text := strings.Repeat("a line of a very long block of code\n", 100_000)
	for b.Loop() {
		Tail(text, 100, 20)
	}
}
