package chat

import (
	"encoding/json"
	"testing"

	"agent/internal/history"
	"agent/internal/toolspec"
)

// TestStable checks that the stable part ends before the first entry that density may prune.
func TestStable(t *testing.T) {
	t.Parallel()
	facts := func(name string) toolspec.Traits {
		return toolspec.Traits{Reads: name == "read_file", File: toolspec.FileNames}
	}
	said := history.HumanText("hi")
	plain := history.New(history.AI, &history.ToolCall{ID: "a", Name: "todo", Parameters: json.RawMessage(`{}`)})
	reads := history.New(history.AI, &history.ToolCall{ID: "b", Name: "read_file", Parameters: json.RawMessage(`{}`)})
	included := history.New(history.Human, &history.Text{Text: "x", IncludedFile: "a.go"})
	for i, tt := range []struct {
		entries []*history.Content
		want    int
	}{
		{nil, 0},
		{[]*history.Content{said, plain, said}, 3},
		{[]*history.Content{said, plain, reads, said}, 2},
		{[]*history.Content{said, included, reads}, 1},
	} {
		if got := stable(tt.entries, facts); got != tt.want {
			t.Errorf("%d: %d, want %d", i, got, tt.want)
		}
	}
}
