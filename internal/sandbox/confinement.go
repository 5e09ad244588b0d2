package sandbox

import (
	"context"
	"os/exec"
	"slices"

	"agent/internal/base/fsutil"
)

// Confinement is the sandbox and the policy that all commands of a conversation use. Each command
// adds its profile. The zero value confines nothing.
type Confinement struct {
	Sandbox *Sandbox
	Policy  Policy
	// AllowEnv lists variables that commands get although their names look like secrets. It also
	// applies without a sandbox.
	AllowEnv []string
}

// Guarantees lists the guarantees of a sandbox about a command. They are true for any command line.
// A caller must check the guarantee that it needs, not whether there is a sandbox, because weaker
// backends have fewer guarantees.
type Guarantees struct {
	// Files is set if the command changes only files that its policy lets it write. Protected files
	// stay unchanged, or the sandbox restores them when the command ends.
	Files bool
	// Keys is set if the command cannot open the secret files that the survey of the workspace
	// finds. DenyRead is enforced whenever Files is set.
	Keys bool
	// Network is set if the command can reach neither another host nor programs of this host that
	// it did not start.
	Network bool
	// Signals is set if the command cannot send signals to processes that it did not start.
	Signals bool
	// Ends is set if the kernel ends the command and every process that it started when this
	// program ends. Then no Watcher is needed.
	Ends bool
}

// Guarantees returns the guarantees of the sandbox for commands of a profile.
func (c Confinement) Guarantees(profile Profile) Guarantees {
	backend := None
	if c.Sandbox != nil && profile != ProfileUnconfined {
		backend = c.Sandbox.backend
	}
	if backend == None {
		return Guarantees{}
	}
	c.Policy.Profile = profile
	return Guarantees{
		Files:   true,
		Keys:    hidesKeys(backend, profile),
		Network: !c.Policy.network() && (backend != Seatbelt || profile == ProfileReadOnly), // loopback works in Work
		Signals: c.Sandbox.keepsSignals,
		Ends:    backend == Namespaces,
	}
}

// hidesKeys reports whether a command cannot open secret files of the workspace. Landlock cannot
// hide files in a folder in which the command may create files.
func hidesKeys(backend Backend, profile Profile) bool {
	return backend != None && profile != ProfileUnconfined && (backend != Landlock || profile == ProfileReadOnly)
}

// Hides reports whether a command of a profile cannot open a file, an absolute path without links.
func (c Confinement) Hides(path string, profile Profile) bool {
	holds := c.Guarantees(profile)
	if !holds.Files {
		return false
	}
	hidden := existing(c.Policy.DenyRead)
	if holds.Keys && c.Policy.Survey != nil {
		hidden = append(hidden, c.Policy.keyFiles(c.Policy.Survey.ScanBefore())...)
	}
	return slices.ContainsFunc(hidden, func(denied string) bool { return fsutil.Within(path, denied) })
}

// Label returns the confinement of commands of this profile for the session log: "sandbox" or
// "none".
func (c Confinement) Label(profile Profile) string {
	if c.Guarantees(profile).Files {
		return "sandbox"
	}
	return "none"
}

// Start starts a command with the given profile. See Sandbox.Start.
func (c Confinement) Start(ctx context.Context, cmd *exec.Cmd, profile Profile) (*Command, error) {
	if c.Sandbox == nil {
		c.Sandbox, profile = NewUnconfined("none is configured"), ProfileUnconfined
	}
	policy := c.Policy
	policy.Profile = profile
	return c.Sandbox.Start(ctx, cmd, policy)
}
