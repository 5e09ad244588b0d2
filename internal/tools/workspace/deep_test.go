package workspace

import (
	"path/filepath"
	"strings"
	"testing"
)

// Issue 12: a file in 2 000 new folders is written within a second. What is counted is
// what each further folder asks for, of which calls of the system make most: it stays
// the same however deep it is, and is little.
func TestDeepFoldersCostLittleEach(t *testing.T) {
	asked := func(depth int) float64 {
		return testing.AllocsPerRun(1, func() {
			w := newWorkspace(t, nil)
			path := filepath.Join(w.Root(), strings.Repeat("d/", depth), "f")
			if err := w.Replace(path, nil, []byte("x")); err != nil {
				t.Fatal(err)
			}
		})
	}
	upper, lower := asked(150)-asked(50), asked(600)-asked(500)
	if lower > 1.2*upper || lower > 18*100 {
		t.Errorf("%.1f allocations for each upper folder, %.1f for each lower one", upper/100, lower/100)
	}
}
