package main

import (
	"testing"

	"agent/internal/chat"
	"agent/internal/tools"
)

// The line at the end says what the session came to.
func TestTally(t *testing.T) {
	t.Parallel()
	edit := func(name string) chat.ToolEnded {
		return chat.ToolEnded{Answer: tools.Answer{Diff: "--- a/" + name + "\n+++ b/" + name + "\n@@ -1 +1 @@\n-a\n+b\n"}}
	}
	var nothing, some tally
	for _, e := range []chat.Event{chat.UserMessage{}, edit("a.go"), edit("a.go"), edit("b.go"), chat.UserMessage{}, chat.ToolEnded{}} {
		some.take(e)
	}
	for _, tt := range []struct {
		tally *tally
		stats chat.Stats
		want  string
	}{
		{&nothing, chat.Stats{}, "0 turns, 0 tokens"},
		{&some, chat.Stats{PromptTokens: 40_000, CompletionTokens: 1_000, Cost: 0.25}, "2 turns, 41k tokens, $0.25, 2 files changed"},
	} {
		if got := tt.tally.sums(tt.stats); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
