package cacheaware

import (
	"bytes"
	"encoding/json"
	"testing"

	"agent/internal/history"
)

// FuzzReplaceArgument checks that replacing an argument changes no other byte, and that the
// argument then equals the text.
func FuzzReplaceArgument(f *testing.F) {
	f.Add([]byte(`{"path":"a", "old" : "x\n\u00e9", "new":"y","edits":[{"old":"1","new":"2"}]}`), "[pruned: 1 line]")
	f.Add([]byte(`{"old":"a","old":"b"}`), "\"\\\x00é")
	f.Add([]byte(`["old"]`), "x")
	f.Fuzz(func(t *testing.T, parameters []byte, text string) {
		call := &history.ToolCall{ID: "c", Name: "multi", Parameters: parameters}
		for _, a := range longArguments(call, testTools["multi"]) {
			edited, ok := replaceArgument(parameters, a.at, text)
			if !ok {
				continue // the rest is not JSON
			}
			if back, ok := replaceArgument(edited, a.at, a.text); ok && json.Valid(parameters) {
				if got, want := argumentAt(back, a.at), a.text; got != want {
					t.Fatalf("%q became %q", want, got)
				}
				again, _ := replaceArgument(back, a.at, text)
				if !bytes.Equal(again, edited) {
					t.Fatalf("%s differs from %s", again, edited)
				}
			}
			checkRest(t, parameters, edited, a)
		}
	})
}

// checkRest compares the bytes before and after the argument.
func checkRest(t *testing.T, before, after []byte, a argumentUnit) {
	t.Helper()
	const hole = "\uE000"
	x, ok1 := replaceArgument(before, a.at, hole)
	y, ok2 := replaceArgument(after, a.at, hole)
	if ok1 != ok2 || !bytes.Equal(x, y) {
		t.Fatalf("besides %s, %s became %s", a.at, before, after)
	}
	i := bytes.Index(x, []byte(`"`+hole+`"`))
	if i < 0 || !bytes.HasPrefix(before, x[:i]) || !bytes.HasSuffix(before, x[i+len(hole)+2:]) {
		t.Fatalf("the bytes around %s changed: %s became %s", a.at, before, x)
	}
}
