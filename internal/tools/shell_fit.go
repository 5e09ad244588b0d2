package tools

import (
	"slices"
	"strings"

	"agent/internal/cmdline"
	"agent/internal/cmdline/programs"
	"agent/internal/text/collapse"
)

// fitter returns the function that shortens the output of a command line. It returns nil for a
// command whose output edits may quote.
func fitter(line *cmdline.CommandLine) func(text string, limit int) (head, tail string, omitted bool) {
	if isQuotable(line) {
		return nil
	}
	return collapse.Fit
}

// FitOutput shortens the output of a command line to limit bytes, as the shell tool does. If tail
// is not empty, the middle was removed between head and tail. ok is false if the output stays
// unchanged.
func FitOutput(line, text string, limit int) (head, tail string, ok bool) {
	fit := fitter(cmdline.Read(line))
	if fit == nil {
		return "", "", false
	}
	head, tail, _ = fit(text, limit)
	return head, tail, true
}

// isQuotable reports whether edits may quote the output of a command line, because it shows lines
// of files unchanged or in a diff. It returns true for a line that cannot be parsed into plain
// commands.
func isQuotable(line *cmdline.CommandLine) bool {
	parsed, err := line.PlainCommands()
	if err != nil {
		return true
	}
	return slices.ContainsFunc(parsed.Commands, func(command cmdline.Command) bool {
		switch program := command[0].Text; {
		case programs.IsNamed(program, programs.PrintsQuotableLines):
			return true
		case programs.IsNamed(program, programs.PrintsPart): // cut as a program that reads a file, not a pipe
			return slices.ContainsFunc(command[1:], func(word cmdline.Word) bool {
				return strings.Trim(word.Text, "0123456789") != "" && !strings.HasPrefix(word.Text, "-")
			})
		case program == "git":
			return slices.ContainsFunc(command[1:], func(word cmdline.Word) bool {
				return slices.Contains([]string{"diff", "show", "log", "blame", "stash"}, word.Text)
			})
		}
		return false
	})
}
