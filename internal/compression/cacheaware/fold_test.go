package cacheaware

import (
	"strings"
	"testing"

	"agent/internal/history"
)

// The text of a file is not merged into the answer of a failed edit. Otherwise the error would
// follow the copy.
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
		for _, c := range e.Plan(RequestFacts{Price: SafePrice, Cold: true}).Changes {
			folded = folded || c.Why == ReasonMerged
		}
		if folded == failed {
			t.Errorf("the last edit failed: %t, the file was folded: %t", failed, folded)
		}
	}
}

// A file that was read in parts is merged only if the copy is much shorter than the parts. The
// model never read the rest of the file.
func TestAFileReadInPartsIsFoldedIfThatFreesMuch(t *testing.T) {
	t.Parallel()
	for lines, folds := range map[int]bool{220: true, 300: false, 450: false, 2000: false} {
		text := source("A", lines)
		all := strings.SplitAfter(text, "\n")
		spoken := &talk{}
		spoken.human("go")
		for i := range 5 {
			from := i * 40
			spoken.call("lines", map[string]any{"path": "a.go", "from": from + 1, "to": from + 60}, strings.Join(all[from:from+60], ""), false)
			spoken.call("lines", map[string]any{"path": "a.go", "from": from + 21, "to": from + 60}, strings.Join(all[from+20:from+60], ""), false)
		}
		for range 4 {
			spoken.call("replace", map[string]any{"path": "a.go", "old": "x", "new": "y"}, "done", false)
		}
		last := len(spoken.entries) - 1
		spoken.entries[last] = overJSON(t, history.View{Path: "/w/a.go", Hash: history.Digest(text)}.Note(spoken.entries[last]))
		e := newEngine()
		for _, entry := range spoken.entries {
			e.Add(entry)
		}
		rv := e.conversation.review(RequestFacts{Price: SafePrice, Cold: true, Files: func(string) string { return text }})
		folded, ok := rv.foldOf(e.conversation.files["/w/a.go"])
		if ok != folds {
			t.Errorf("%d lines: folded %v, %d tokens freed", lines, ok, folded.saves)
		}
	}
}
