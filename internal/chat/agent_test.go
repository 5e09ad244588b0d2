package chat

import (
	"context"
	"testing"

	"agent/internal/gate"
)

// Whatever an agent tells a conversation that has ended, with an inbox that nobody serves, returns.
func TestAgentsDoNotWaitForAnOwnerThatIsGone(t *testing.T) {
	t.Parallel()
	c := &Chat{inbox: newInbox()}
	for range cap(c.inbox) {
		c.inbox.post(func() {})
	}
	over := make(chan struct{})
	close(over)
	c.CountAgent(over, Stats{})
	c.Tell(over, Notice{})
	c.TellLatest(Notice{})
	ended, end := context.WithCancel(t.Context())
	end()
	if _, answered := c.relay(ended, over, gate.Question{}); answered {
		t.Error("nobody answered")
	}
}
