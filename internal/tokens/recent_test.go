package tokens

import (
	"fmt"
	"strings"
	"testing"
)

// A long text is counted once while it is among the latest texts. Another text in the same slot
// does not get its size.
func TestRecentSizes(t *testing.T) {
	t.Parallel()
	var sizes recent
	counted := 0
	size := func(i int) int {
		return sizes.size(fmt.Sprintf("%s%d", strings.Repeat("x", longText), i), func(string) int { counted++; return i })
	}
	for range 3 {
		if got := size(7); got != 7 || counted != 1 {
			t.Fatalf("got %d, counted %d times", got, counted)
		}
	}
	for i := range 5 * recentTexts {
		if got := size(i); got != i {
			t.Fatalf("got %d, want %d", got, i)
		}
	}
}
