package cmdline

import (
	"path"
	"slices"
	"strings"
)

// plainShells lists shells that read a line as bash does, or refuse it. otherShells lists those in
// which it may mean something else. Shells whose names are everyday words, such as rc and nu, are
// in neither.
var (
	plainShells = []string{"sh", "bash", "rbash", "dash", "ash", "ksh", "rksh", "mksh", "lksh", "oksh", "loksh", "pdksh", "posh", "yash", "bosh", "capsh"}
	otherShells = []string{"zsh", "rzsh", "fish", "csh", "tcsh", "elvish", "xonsh", "pwsh", "powershell"}
)

// Shells returns the names of the programs that run a line in their arguments, a script that these
// name, or lines that they read.
func Shells() []string { return slices.Concat(plainShells, otherShells) }

// IsShell reports whether a program is one of Shells, whatever its folder and version.
func IsShell(program string) bool {
	name := baseName(program)
	return slices.Contains(plainShells, name) || slices.Contains(otherShells, name)
}

// baseName returns the name of a program without folder, ending and version, as in bash-5.2.
func baseName(program string) string {
	return strings.TrimRight(withoutEnding(program), "0123456789.-")
}

// withoutEnding returns the name of a program without folder and ending, in small letters.
func withoutEnding(program string) string {
	return strings.TrimSuffix(strings.ToLower(path.Base(program)), ".exe")
}

// RunsLines reports whether a program runs lines in its arguments: a shell, a command of the shell
// that evaluates them, or a program that gives them to a shell.
func RunsLines(program string) bool {
	return IsShell(program) || slices.Contains(evaluators, path.Base(program)) || slices.Contains(lineWrappers, path.Base(program))
}
