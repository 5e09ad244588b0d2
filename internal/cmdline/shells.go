package cmdline

import "agent/internal/cmdline/programs"

// IsShell reports whether a program runs a line in its arguments, a script that these name, or lines
// that it reads.
func IsShell(program string) bool {
	return programs.Is(program, programs.Shell|programs.ForeignShell)
}

// RunsLines reports whether a program runs lines in its arguments: a shell, a command of the shell
// that evaluates them, or a program that gives them to a shell.
func RunsLines(program string) bool {
	return IsShell(program) || programs.Is(program, programs.Evaluates|programs.Lines)
}
