package chat

import (
	"strings"
	"testing"

	"agent/internal/history"
)

// A file with a syntax error is reported once, after the last call of a reply that edits it, even
// if that call fails.
func TestDoesNotParseAfterTheLastEdit(t *testing.T) {
	t.Parallel()
	edit := func(old, fresh string) []string {
		return []string{"replace", encoded(t, map[string]any{"file_path": "a.go", "old_string": old, "new_string": fresh})}
	}
	patch := []string{"apply_patch", encoded(t, map[string]any{"input": "*** Begin Patch\n*** Update File: ./a.go\n-func F() {}\n+func F() {\n*** End Patch"})}
	open, close, missing := edit("{}", "{"), edit("{", "{}"), edit("nowhere", "x")
	for name, tc := range map[string]struct {
		calls [][]string
		notes []bool
	}{
		"one edit":                {[][]string{open}, []bool{true}},
		"healed in the reply":     {[][]string{open, close}, []bool{false, false}},
		"broken at the end":       {[][]string{edit("{}", "{ "), edit("{ ", "{")}, []bool{false, true}},
		"the last edit fails":     {[][]string{open, missing}, []bool{false, true}},
		"a patch":                 {[][]string{patch}, []bool{true}},
		"a patch, then an edit":   {[][]string{patch, close}, []bool{false, false}},
		"no edit that was made":   {[][]string{missing}, []bool{false}},
		"a read between and last": {[][]string{open, {"read_file", `{"file_path":"a.go"}`}}, []bool{true, false}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var pairs []string
			for _, call := range tc.calls {
				pairs = append(pairs, call...)
			}
			b := newWorkbench(t, map[string]string{"a.go": "package a\n\nfunc F() {}\n"}, calls(pairs...), say("done"))
			b.prompt("go")
			var got []bool
			for _, entry := range b.model.requests[1].History {
				for _, block := range entry.Blocks {
					if r, ok := block.(*history.ToolResponse); ok {
						got = append(got, strings.Contains(r.Result.Text()+r.Error, "a.go now has a syntax error: 3:"))
					}
				}
			}
			if len(got) != len(tc.notes) {
				t.Fatalf("%d answers", len(got))
			}
			for i := range got {
				if got[i] != tc.notes[i] {
					t.Errorf("answer %d has a note: %t", i+1, got[i])
				}
			}
		})
	}
}
