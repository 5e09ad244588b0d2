// Package version knows the version that the linker set, and answers agent --version with it before
// anything else of the program is initialized.
//
// Prompts and editors ask programs for their version often, and libraries that prepare their tables
// take most of the time in which a command starts. Go initializes packages in the order of their
// import paths as far as imports allow. This package imports os alone and sorts before the libraries,
// so its init runs before theirs.
package version

import "os"

// Linked is the version of a program that was built by make or for a release, else "".
var Linked string

func init() {
	if Linked == "" || len(os.Args) != 2 || os.Args[1] != "--version" {
		return
	}
	if _, err := os.Stdout.WriteString("agent version " + Linked + "\n"); err == nil {
		os.Exit(0)
	}
}
