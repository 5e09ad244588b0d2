package sandbox

import (
	"context"
	"os/exec"
)

// Confinement is the sandbox and the policy that the commands of a conversation share. Each
// command adds its profile. The zero value confines nothing.
type Confinement struct {
	Sandbox *Sandbox
	Policy  Policy
	// AllowEnv names variables that commands see although their names look like secrets. It also
	// applies without a sandbox.
	AllowEnv []string
}

// Active reports whether commands are confined.
func (c Confinement) Active() bool { return c.Sandbox != nil && c.Sandbox.Active() }

// Word names for the record how commands of this profile are confined: "sandbox" or "none".
func (c Confinement) Word(profile Profile) string {
	if c.Active() && profile != Open {
		return "sandbox"
	}
	return "none"
}

// Holds reports whether the kernel ends a command of this profile, with every process that it
// started, when this program ends. Then no Watcher is needed.
func (c Confinement) Holds(profile Profile) bool {
	return c.Sandbox != nil && c.Sandbox.backend == Namespaces && profile != Open
}

// Start starts a command with the given profile. See Sandbox.Start.
func (c Confinement) Start(ctx context.Context, cmd *exec.Cmd, profile Profile) (*Command, error) {
	if c.Sandbox == nil {
		c.Sandbox, profile = Off("none was given"), Open
	}
	policy := c.Policy
	policy.Profile = profile
	return c.Sandbox.Start(ctx, cmd, policy)
}
