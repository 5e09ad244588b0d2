// Package confine is the inner half of the sandbox: what runs between the fork and
// the command. It arranges the new namespaces, gives up every right the command
// must not have, starts the command and buries what it leaves behind.
//
// The program starts itself again as the helper that does so (see init_linux.go), for
// every command. So this package imports nothing that package os does not: it is
// initialised before the rest of the program, which then never is.
package confine

import "time"

// Spec is what the helper receives: plain lists and numbers, decided by package
// sandbox. Paths are absolute and free of symbolic links.
type Spec struct {
	// Path, Args, Env, Dir are the command: its program, its words with the name
	// first, its environment, its folder. No Path means to set everything up and
	// end, as a trial.
	Path      string
	Args, Env []string
	Dir       string

	// Temp is the folder that is mounted as /tmp, empty to leave the system's. Shown are the
	// folders and files of that one which are mounted there as they were, read-only, parents
	// first.
	Temp  string
	Shown []string
	// Write are the folders and files that may be written, parents first. All else
	// is mounted read-only.
	Write []string
	// ReadOnly are what stays read-only inside Write.
	ReadOnly []string
	// Hidden are the files and folders that cannot be opened.
	Hidden []string
	// Devices are the device files that can be used.
	Devices []string
	// Keep are files below /run that stay, which is emptied else.
	Keep []string

	// Processes bounds how many processes and threads there may be. KernelBounds says
	// that the kernel does it by a number of the namespace's own; where it has one number
	// for all, that must not be touched.
	Processes    int
	KernelBounds bool
	// Capabilities are those that are kept, as a bit set.
	Capabilities uint64
	// Ruleset is for Landlock; nil where the kernel has none.
	Ruleset *Ruleset
	// Filter is a seccomp program.
	Filter []Instruction

	// Grace is how long processes left behind have to end when asked to.
	Grace time.Duration
}

// Ruleset says what Landlock allows. It refuses every right of Handled that no
// rule grants.
type Ruleset struct {
	// Handled and Scoped are the kernel's bit sets of the same names.
	Handled, Scoped uint64
	Rules           []Rule
}

// Rule grants rights to a file, or to a folder and all below it.
type Rule struct {
	Path   string
	Access uint64
}

// Instruction is one of a seccomp program, as the kernel reads it.
type Instruction struct {
	Code   uint16
	Jt, Jf uint8
	K      uint32
}

// Report is what the helper says: once when the command has started or could not be,
// and once at the end.
type Report struct {
	// Failed is why the command could not be started, empty when it was.
	Failed string
	// Refused is the number of the system's error when the reason is the command itself,
	// not the sandbox.
	Refused uint64
	// Left says that the command left processes behind, which were ended.
	Left bool
}
