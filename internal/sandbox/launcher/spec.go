// Package launcher is the part of the sandbox that runs inside it, between the fork and the
// command. It sets up the new namespaces, drops every right that the command must not have, starts
// the command, and collects its remaining processes.
//
// For every command the program starts itself again as the helper, which runs this package only
// (see init_linux.go). The helper receives a Spec from package sandbox and answers with Reports.
// This package imports nothing that package os does not import. So Go initializes it before the
// rest of the program, which the helper never initializes.
package launcher

import "time"

// Spec holds the helper's instructions as plain lists and numbers. Package sandbox makes all
// decisions. Paths are absolute and free of symbolic links.
type Spec struct {
	// Path, Args, Env and Dir are the program of the command, its arguments (with its name
	// first), its environment and its folder. If Path is empty, the helper sets everything up and
	// exits, as a test.
	Path      string
	Args, Env []string
	Dir       string

	// Temp is the folder to mount as /tmp. If it is empty, the command sees the system's /tmp.
	// Shown lists paths of the system's /tmp that are mounted read-only inside Temp, parents
	// first.
	Temp  string
	Shown []string
	// Write lists the writable files and folders, parents first. Everything else is mounted
	// read-only.
	Write []string
	// Layered lists the folders in Write that are writable only because a layer covers them. The
	// helper fails if one of them has no layer.
	Layered []string
	// ReadOnly lists paths inside Write that stay read-only.
	ReadOnly []string
	// Hidden lists files and folders that cannot be opened.
	Hidden []string
	// Devices lists the usable device files.
	Devices []string
	// Keep lists files that are copied to the new, otherwise empty /run.
	Keep []string

	// Processes is the largest number of processes and threads. KernelBounds is set if each
	// namespace has its own limit on process IDs. A limit for all namespaces must not be changed.
	Processes    int
	KernelBounds bool
	// Capabilities is the bit set of the capabilities to keep.
	Capabilities uint64
	// Ruleset is the Landlock ruleset, or nil if the kernel has no Landlock.
	Ruleset *Ruleset
	// Filter is the seccomp program.
	Filter []Instruction

	// Grace is the time from the request to end the remaining processes until they are killed.
	Grace time.Duration
}

// Ruleset is a Landlock ruleset. It refuses every right in Handled that no rule grants.
type Ruleset struct {
	// Handled and Scoped are the kernel's bit sets of the same names.
	Handled, Scoped uint64
	Rules           []Rule
}

// Rule grants rights to a file, or to a folder and everything below it.
type Rule struct {
	Path   string
	Access uint64
}

// Instruction is an instruction of a seccomp program, in the kernel's layout.
type Instruction struct {
	Code   uint16
	Jt, Jf uint8
	K      uint32
}

// Report is a message from the helper. The helper sends one after the attempt to start the command,
// and one after the command has ended.
type Report struct {
	// Failed is the reason why the command could not be started. It is empty if the command was
	// started.
	Failed string
	// Refused is the system's error number if starting the command itself failed, and 0 if the
	// sandbox failed.
	Refused uint64
	// LeftBehind is set if the command left processes behind. The helper has ended them.
	LeftBehind bool
	// Signal is the number of the signal that ended the command, 0 for none.
	Signal uint64
}
