package chat

import (
	"context"
	"testing"

	"agent/internal/gate"
)

// Whatever an agent tells a conversation that has ended, with an inbox that nobody serves, returns.
func TestAgentsDoNotWaitForAnOwnerThatIsGone(t *testing.T) {
	t.Parallel()
	a := NewAgents(NewHandle(), nil)
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
