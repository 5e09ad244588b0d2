package chat

import (
	"context"
	"testing"

	"agent/internal/gate"
)

// Calls from subagents return at once if the conversation has ended and no goroutine serves its
// inbox.
func TestAgentsDoNotWaitForAnOwnerThatIsGone(t *testing.T) {
	t.Parallel()
	a := NewSubagentHost(NewHandle(), nil)
	for range cap(a.line.inbox.acts) {
		a.line.inbox.post(func() {})
	}
	over := make(chan struct{})
	close(over)
	a.AddStats(over, Stats{})
	a.Emit(over, Notice{})
	a.EmitLatest(Notice{})
	ended, end := context.WithCancel(t.Context())
	end()
	if _, answered := a.relay(ended, over, gate.Question{}); answered {
		t.Error("nobody answered")
	}
}
