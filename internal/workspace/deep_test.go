package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file in 2,000 new folders is written within a second. The test counts allocations for each
// additional folder, most of which come from system calls. The number does not grow with the depth,
// and is at most the cost of creating and opening a folder safely.
func TestDeepFoldersCostLittleEach(t *testing.T) {
	each := func(from, to int, act func(depth int)) float64 {
		asked := func(depth int) float64 { return testing.AllocsPerRun(1, func() { act(depth) }) }
		return (asked(to) - asked(from)) / float64(to-from)
	}
	write := func(depth int) {
		w := newWorkspace(t, nil)
		if err := w.Replace(filepath.Join(w.Root(), strings.Repeat("d/", depth), "f"), nil, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	upper, lower, least := each(30, 70, write), each(200, 240, write), each(30, 70, func(depth int) { makeAndEnter(t, depth) })
	if lower > 1.2*upper || lower > least+1 {
		t.Errorf("%.1f allocations for each upper folder, %.1f for each lower one, at least %.1f", upper, lower, least)
	}
}

// makeAndEnter creates nested folders and checks that none is a link.
func makeAndEnter(t *testing.T, depth int) {
	t.Helper()
	at, err := os.OpenRoot(t.TempDir())
	for range depth {
		var next *os.Root
		if err == nil {
			err = at.Mkdir("d", 0o700)
		}
		if err == nil {
			next, err = at.OpenRoot("d")
		}
		if err == nil {
			_, err = next.Stat(".")
		}
		if err == nil {
			_, err = at.Lstat("d")
		}
		if err != nil {
			t.Fatal(err)
		}
		at.Close()
		at = next
	}
	at.Close()
}
