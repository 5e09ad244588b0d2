package mcp

import (
	"strings"
	"testing"
	"time"
)

// Text joins the texts of the blocks that are meant for the model.
func (r Result) Text() string {
	var parts []string
	for _, b := range r.Blocks {
		if b.Kind == Text && !b.ForUser {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// SetBounds replaces how long calls may be silent and take.
func (c *Client) SetBounds(silent, total time.Duration) { c.bounds = bounds{silent, total} }

// SetPauses replaces the pauses before a server is started again.
func SetPauses(t *testing.T, short ...time.Duration) { set(t, &pauses, short) }

// SetProbe replaces how long the question for the new protocol may take.
func SetProbe(t *testing.T, short time.Duration) { set(t, &probeTimeout, short) }

// SetRetries replaces the pauses before a request at the start is made again.
func SetRetries(t *testing.T, short ...time.Duration) { set(t, &retryPauses, short) }

// SetGather replaces how long changes are gathered.
func SetGather(t *testing.T, short time.Duration) { set(t, &gatherFor, short) }

// set replaces a variable for a test, which must not be parallel to others.
func set[T any](t *testing.T, variable *T, value T) {
	t.Helper()
	was := *variable
	*variable = value
	t.Cleanup(func() { *variable = was })
}

// Hold keeps a set from closing a connection until release is called.
func (s *Set) Hold(name string) (release func()) {
	at := s.slots[name]
	at.busy <- struct{}{}
	return func() { <-at.busy }
}

// PID returns the process of a stdio server.
func (c *Client) PID() int { return c.wire.process.PID() }
