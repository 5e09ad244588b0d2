//go:build unix && !linux

package sandbox

import (
	"context"
	"errors"
	"os"
)

// shared holds resources that several commands use. This system has none.
type shared struct{}

var backends = []Backend{Seatbelt}

const sandboxExec = "/usr/bin/sandbox-exec"

func (s *Sandbox) try() (string, error) {
	if s.backend != Seatbelt {
		return "", errors.New("not available on this system")
	}
	if _, err := os.Stat(sandboxExec); err != nil {
		return "", err
	}
	s.keepsSignals = true
	return "sandbox-exec; untried", nil
}

func (s *Sandbox) start(_ context.Context, backend Backend, c *Command, policy Policy) error {
	if backend == Seatbelt {
		c.cmd.Args = append([]string{sandboxExec, "-p", seatbeltProfile(policy), c.cmd.Path}, c.cmd.Args[1:]...)
		c.cmd.Path = sandboxExec
	}
	return c.cmd.Start()
}

// layer returns no caches, because this system has no layers.
func (s *Sandbox) layer(Policy, Backend) []Cache { return nil }

// EndAll does nothing on this system. On Linux it ends every process of this program's commands
// by force.
func EndAll() {}
