package cacheaware

import (
	"testing"
)

// The text of a file is not folded into the answer of an edit that failed: its error would
// stay behind the copy.
func TestNoFoldIntoAFailedEdit(t *testing.T) {
	t.Parallel()
	for _, failed := range []bool{false, true} {
		spoken := &talk{}
		spoken.human("go")
		text := source("A", 60)
		spoken.call("read", map[string]any{"path": "a.go"}, text, false)
		for range 4 {
			spoken.call("replace", map[string]any{"path": "a.go", "old": text, "new": text + "// more\n"}, "done", false)
			text += "// more\n"
		}
		spoken.call("replace", map[string]any{"path": "a.go", "old": "// more\n", "new": "// none\n"}, "done", failed)
		e := newEngine()
		for _, entry := range spoken.entries {
			e.Add(entry)
		}
		folded := false
		for _, c := range e.Plan(Moment{Price: SafePrice, Cold: true}).Changes {
			folded = folded || c.Why == Folded
		}
		if folded == failed {
			t.Errorf("the last edit failed: %t, the file was folded: %t", failed, folded)
		}
	}
}
