package cmdline

import "agent/internal/cmdline/programs"

// IsShell reports whether a program runs a line in its arguments, a script file named there, or
// lines that it reads.
func IsShell(program string) bool {
	return programs.Is(program, programs.IsShell|programs.IsForeignShell)
}

// RunsLines reports whether a program runs lines in its arguments. Such a program is a shell, a
// shell command that evaluates its arguments, or a program that passes them to a shell.
func RunsLines(program string) bool {
	return IsShell(program) || programs.Is(program, programs.EvaluatesLines|programs.WrapsLine)
}
