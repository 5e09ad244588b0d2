package sandbox

import (
	"context"
	"os/exec"
)

// Confinement is what the commands of a conversation run in: a sandbox and what
// they may do, but for the profile. The zero value confines nothing.
type Confinement struct {
	Sandbox *Sandbox
	Policy  Policy
	// AllowEnv are variables that commands see although their names speak of
	// secrets. It counts without a sandbox too.
	AllowEnv []string
}

// Active reports whether commands are confined.
func (c Confinement) Active() bool { return c.Sandbox != nil && c.Sandbox.Active() }

// Holds reports whether a command of this profile ends with this program, with all
// that it starts, by itself: no Watcher is needed.
func (c Confinement) Holds(profile Profile) bool {
	return c.Sandbox != nil && c.Sandbox.backend == Helper && profile != Open
}

// Start starts a command in a profile, see Sandbox.Start.
func (c Confinement) Start(ctx context.Context, cmd *exec.Cmd, profile Profile) (*Command, error) {
	if c.Sandbox == nil {
		c.Sandbox, profile = Off("none was given"), Open
	}
	policy := c.Policy
	policy.Profile = profile
	return c.Sandbox.Start(ctx, cmd, policy)
}
