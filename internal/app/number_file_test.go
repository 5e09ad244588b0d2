package app

import (
	"path/filepath"
	"sync"
	"testing"
)

// The count includes every turn if several programs add turns at the same time.
func TestTurnsOfSeveralPrograms(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state", "turns")
	var programs sync.WaitGroup
	for range 4 {
		programs.Go(func() {
			f := numberFile{path}
			for range 10 {
				f.Add(1.5)
			}
		})
	}
	programs.Wait()
	if got := (numberFile{path}).Latest(); len(got) != 40 || got[39] != 1.5 {
		t.Errorf("%d turns are left: %v", len(got), got)
	}
}
