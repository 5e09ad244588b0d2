package compression

import (
	"encoding/json"
	"testing"

	"agent/internal/history"
)

// A turn begins with a message after a finished reply, and not with a message between tool results.
func TestAtBoundary(t *testing.T) {
	t.Parallel()
	human := history.HumanText("do it")
	done := history.New(history.AI, &history.Text{Text: "done"})
	calls := history.New(history.AI, &history.ToolCall{ID: "1", Name: "x", Parameters: json.RawMessage("{}")})
	answer := history.New(history.Tool, &history.ToolResponse{CallID: "1", ToolName: "x"})
	for name, c := range map[string]struct {
		entries []*history.Content
		want    bool
	}{
		"nothing":                  {nil, true},
		"the first message":        {[]*history.Content{human}, true},
		"answers":                  {[]*history.Content{human, calls, answer}, false},
		"a message behind answers": {[]*history.Content{human, calls, answer, human}, false},
		"the next message":         {[]*history.Content{human, done, human}, true},
		"two messages":             {[]*history.Content{human, done, human, human}, true},
		"a reply that broke off":   {[]*history.Content{human, done}, false},
	} {
		if got := IsTurnBoundary(c.entries); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
