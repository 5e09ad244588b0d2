package transcript

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"agent/internal/tui/style"
)

// text returns the layout of n words, wrapped.
func text(n int) Layout {
	return func(_ *style.Theme, width int) []string {
		words := ""
		for i := range n {
			words += fmt.Sprintf("word%d ", i)
		}
		return style.WrapText(words, width)
	}
}

// A new layout of everything at a width has the same rows as printing at that width.
func TestLayoutEqualsPrintedRows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		widths := rapid.SliceOfN(rapid.IntRange(10, 60), 1, 5).Draw(t, "widths")
		var disturbed, quiet Transcript
		last := widths[len(widths)-1]
		var printed []string
		for _, width := range widths {
			for range rapid.IntRange(0, 4).Draw(t, "entries") {
				kind, lay := Kind(rapid.IntRange(1, 3).Draw(t, "kind")), text(rapid.IntRange(0, 30).Draw(t, "words"))
				disturbed.Add(kind, lay, nil, width)
				quiet.Add(kind, lay, nil, last)
				printed = append(printed, quiet.TakeRows()...)
			}
			disturbed.TakeRows()
		}
		if diff := cmp.Diff(printed, disturbed.LayOutAgain(nil, last)); diff != "" {
			t.Fatalf("(-undisturbed +again):\n%s", diff)
		}
	})
}

// The stored rows do not grow with the session.
func TestKeptRowsAreBounded(t *testing.T) {
	t.Parallel()
	var s Transcript
	for range 50_000 {
		s.Add(KindText, Rows("one", "two"), nil, 80)
		s.TakeRows()
	}
	if s.Len() > keptRows+3 || s.Len() < keptRows-3 || cap(s.entries) > 2*keptRows {
		t.Errorf("%d rows of %d entries are kept", s.Len(), cap(s.entries))
	}
}
