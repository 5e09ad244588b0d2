package chat

import (
	"encoding/json"
	"testing"

	"agent/internal/tools"
)

func TestCallTitle(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ parameters, want string }{
		{`{"path":"a.go"}`, "look a.go"},
		{`{"path":["a.go","b.go"],"exclude":"c"}`, "look a.go, b.go"},
		{`{"limit":150,"path":"a.go","offset":3}`, "look a.go (limit 150, offset 3)"},
		{`{"text":"12","path":"a.go","deep":true,"none":null}`, "look a.go"},
		{`{"path":"first\nsecond"}`, "look first …"},
		{`{"start":7}`, "look (start 7)"},
		{`{"path":17}`, "look 17"},
		{`["a.go"]`, "look"},
		{`{"path":`, "look"},
		{`{}`, "look"},
	} {
		k := &call{name: "look", parameters: json.RawMessage(tt.parameters)}
		if got := callTitle(tools.Tool{Name: "look", KeyParameter: "path"}, k); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.parameters, got, tt.want)
		}
	}
}

// What is looked for is told with where, and ends where it ends.
func TestCallTitleOfASearch(t *testing.T) {
	t.Parallel()
	for parameters, want := range map[string]string{
		`{"pattern":"price","path":"src"}`:     "look price in src",
		`{"path":"src","pattern":"in a list"}`: `look "in a list" in src`,
		`{"path":".","pattern":"price"}`:       "look price",
	} {
		k := &call{name: "look", parameters: json.RawMessage(parameters)}
		if got := callTitle(tools.Tool{Name: "look", KeyParameter: "pattern"}, k); got != want {
			t.Errorf("%s: %q, want %q", parameters, got, want)
		}
	}
}
