package mcp

import (
	"strings"
	"testing"
	"time"
)

// Text joins the text blocks for the model.
func (r Result) Text() string {
	var parts []string
	for _, b := range r.Blocks {
		if b.Kind == Text && !b.ForUser {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// SetBounds replaces the limits for the silence and the total time of calls.
func (c *Client) SetBounds(silent, total time.Duration) { c.bounds = bounds{silent, total} }

// SetPauses replaces the pauses before a server is restarted.
func SetPauses(t *testing.T, short ...time.Duration) { set(t, &pauses, short) }

// SetProbe replaces the time limit of the probe for the new protocol.
func SetProbe(t *testing.T, short time.Duration) { set(t, &probeTimeout, short) }

// SetRetries replaces the pauses before a request during the start is repeated.
func SetRetries(t *testing.T, short ...time.Duration) { set(t, &retryPauses, short) }

// SetGather replaces the time for which changes are collected.
func SetGather(t *testing.T, short time.Duration) { set(t, &gatherFor, short) }

// set replaces a variable for a test. The test must not run in parallel with others.
func set[T any](t *testing.T, variable *T, value T) {
	t.Helper()
	was := *variable
	*variable = value
	t.Cleanup(func() { *variable = was })
}

// Hold prevents a set from closing a connection until release is called.
func (s *Set) Hold(name string) (release func()) {
	at := s.slots[name]
	at.busy <- struct{}{}
	return func() { <-at.busy }
}

// PID returns the process ID of a stdio server.
func (c *Client) PID() int { return c.wire.process.PID() }
