// Package version holds the version that the linker set. Its init prints it for agent --version
// before other packages are initialized.
//
// Shell prompts and editors often run programs only for their version. Most of the startup time of
// a command is spent in libraries that prepare their tables. Go initializes packages in the order
// of their import paths as far as imports allow. This package imports only os and sorts before the
// libraries, so its init runs before theirs.
package version

import "os"

// Linked is the version of a program that was built by make or for a release, otherwise "".
var Linked string

func init() {
	if Linked == "" || len(os.Args) != 2 || os.Args[1] != "--version" {
		return
	}
	if _, err := os.Stdout.WriteString("agent version " + Linked + "\n"); err == nil {
		os.Exit(0)
	}
}
