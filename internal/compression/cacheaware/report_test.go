package cacheaware

import (
	"strings"
	"testing"

	"agent/internal/history"
)

// When the report of a subagent is pruned, its first two lines and its call stay.
func TestTheHeadingOfAReportStays_D126(t *testing.T) {
	t.Parallel()
	const heading = "agent explore, s-abcde: done, 3 requests\nchanged: none\n"
	talk := &talk{}
	talk.human("go")
	talk.call("task", map[string]any{"task": "x"}, heading+strings.Repeat("found something\n", 200), false)
	talk.idle(50)
	_, e := plan(RequestFacts{Pressed: true}, talk)
	for range 2 { // a later plan removes empty calls
		e.Apply(e.Plan(RequestFacts{Price: SafePrice, Cold: true, Pressed: true}))
	}
	for _, entry := range e.conversation.entries {
		if r, ok := entry.Blocks[0].(*history.ToolResponse); ok {
			if want := heading + "[pruned: 202 lines]"; r.Result.Text() != want {
				t.Errorf("left is %q", r.Result.Text())
			}
			return
		}
	}
	t.Error("the answer is gone")
}
