package toolspec

import (
	"testing"

	"agent/internal/base/arguments"
)

func TestSubject(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ key, parameters, want string }{
		{"path", `{"path":"a.go"}`, "look a.go"},
		{"file", `{"symbol":"T.M","file":"a.go"}`, "look a.go T.M"},
		{"path", `{"path":["a.go","b.go"],"exclude":"c"}`, "look a.go, b.go"},
		{"path", `{"limit":150,"path":"a.go","offset":3}`, "look a.go (limit 150, offset 3)"},
		{"path", `{"text":"12","path":"a.go","deep":true,"none":null}`, "look a.go"},
		{"path", `{"path":"first\nsecond"}`, "look first …"},
		{"path", `{"start":7}`, "look (start 7)"},
		{"path", `{"path":17}`, "look 17"},
		{"path", `["a.go"]`, "look"},
		{"path", `{"path":`, "look"},
		{"path", `{}`, "look"},
		// The label of a search ends with the folder that is searched.
		{"pattern", `{"pattern":"price","path":"src"}`, "look price in src"},
		{"pattern", `{"path":"src","pattern":"in a list"}`, `look "in a list" in src`},
		{"pattern", `{"path":".","pattern":"price"}`, "look price"},
	} {
		if got := (Traits{Key: tt.key}).Describe("look", arguments.Parse(tt.parameters)).Title(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.parameters, got, tt.want)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	runs := Traits{Key: "command", Words: []Verbs{
		{Given: "job", Now: "looking at", Done: "looked at", Do: "look at", About: "job {job}"},
		{Now: "running", Done: "ran", Do: "run"},
	}}
	for _, tt := range []struct {
		tool                            Traits
		parameters, now, ended, notDone string
	}{
		{runs, `{"command":"go test"}`, "running go test", "ran go test", "run go test"},
		{runs, `{"job":2,"wait_seconds":10}`, "looking at job 2", "looked at job 2", "look at job 2"},
		{runs, ``, "running", "ran", "run"},
		{Traits{}, `{"a":1}`, "tool (a 1)", "tool (a 1)", "tool (a 1)"},
		{Traits{Words: []Verbs{{Now: "n", Done: "d", Do: "o", About: "{a} of {b}"}}}, `{"a":"{b}","b":"x\ny"}`, "n {b} of x …", "d {b} of x …", "o {b} of x …"},
	} {
		said := tt.tool.Describe("tool", arguments.Parse(tt.parameters))
		if said.Progressive() != tt.now || said.PastTense() != tt.ended || said.NotDone() != tt.notDone {
			t.Errorf("%s: %q, %q, %q", tt.parameters, said.Progressive(), said.PastTense(), said.NotDone())
		}
	}
}

// The declaration of a tool determines whether calls require approval and whether a result can be
// obtained again. A tool without a declaration may do anything (D-45).
func TestTraits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tool                  Traits
		harmless, retrievable bool
		says                  string
	}{
		{Traits{}, false, false, "unknown"},
		{Traits{Reads: true}, true, true, "read"},
		{Traits{Stateful: true}, true, false, "state"},
		{Traits{Asks: true}, true, false, "ask"},
		{Traits{Edits: true}, false, false, "edit"},
		{Traits{Runs: true}, false, true, "shell"},
		{Traits{Reads: true, Network: true}, false, true, "read, network"},
		{Traits{Reads: true, Edits: true}, false, false, "read, edit"},
	} {
		if tt.tool.IsHarmless() != tt.harmless || tt.tool.IsRetrievable() != tt.retrievable || tt.tool.String() != tt.says {
			t.Errorf("%s: harmless %t, retrievable %t", tt.tool, tt.tool.IsHarmless(), tt.tool.IsRetrievable())
		}
	}
}
