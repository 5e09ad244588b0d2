package session

import (
	"strings"
	"testing"
)

// The notice about a badly damaged log names the first damaged lines and the number of the others.
func TestFirstNotices(t *testing.T) {
	t.Parallel()
	for count, want := range map[int]string{0: "", 1: "x", 6: "x x x x x x", 7: "x x x x x and 2 more such lines; all readable lines are loaded"} {
		notices := make([]string, count)
		for i := range notices {
			notices[i] = "x"
		}
		if got := strings.Join(FirstNotices(notices), " "); got != want {
			t.Errorf("of %d: %q, want %q", count, got, want)
		}
	}
}
