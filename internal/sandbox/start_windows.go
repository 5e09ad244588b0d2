package sandbox

import (
	"context"
	"errors"
)

// shared holds resources that several commands use. This system has none.
type shared struct{}

// backends is empty, because no backend for this system exists yet. See
// docs/dev/decisions/windows.md.
var backends []Backend

func (s *Sandbox) try() (string, error) { return "", errors.New("not available on this system") }

// layer returns no caches, because this system has no layers.
func (s *Sandbox) layer(Policy, Backend) []Cache { return nil }

// start starts a command in a job, so that its processes end with it.
func (s *Sandbox) start(_ context.Context, _ Backend, c *Command, _ Policy) error {
	if _, err := startInJob(c.cmd); err != nil {
		return err
	}
	head := c.cmd.Process.Pid
	c.finish = func() EndReport { return EndReport{LeftBehind: jobs.forget(head)} }
	return nil
}
