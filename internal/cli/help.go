// Package cli explains a command line: it prints help and the manual page, and describes faults
// of arguments and flags in plain words. It knows no particular command.
package cli

import (
	"fmt"
	"io"
	"strings"

	"agent/internal/tui/style"

	"github.com/spf13/cobra"
)

// helpColumns bounds the width of help in columns, because longer lines are hard to read.
const helpColumns = 100

// Help prints the purpose and the usage of a command. width is the width of the terminal, 0 if
// there is none.
func Help(out io.Writer, width int, cmd *cobra.Command) {
	if width == 0 || width > helpColumns {
		width = helpColumns
	}
	for _, row := range helpRows(cmd, width) {
		fmt.Fprintln(out, row)
	}
}

// NewHelp returns the command that explains another command.
func NewHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Explain a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return NoSubcommand(about, rest)
			}
			return about.Help()
		},
	}
}

// StrictCompletion makes the completion command refuse unknown shells.
func StrictCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Short = "Print what completes commands and flags in a shell"
			cmd.Args = NoSubcommand
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}

// helpRows returns the help of a command for a terminal of a width.
func helpRows(cmd *cobra.Command, width int) (rows []string) {
	about := cmd.Long
	if about == "" {
		about = cmd.Short
	}
	text := unbroken(about) + "\n\n" + strings.TrimRight(cmd.UsageString(), "\n")
	for line := range strings.SplitSeq(text, "\n") {
		rows = append(rows, Wrap(line, width)...)
	}
	return rows
}

// unbroken joins the lines of paragraphs, so that they can be wrapped at another width. Indented
// lines, such as examples, stay as they are.
func unbroken(text string) string {
	var b strings.Builder
	after := "\n"
	for _, line := range strings.SplitAfter(text, "\n") {
		line, end := strings.CutSuffix(line, "\n")
		own := line == "" || strings.TrimLeft(line, " \t") != line
		if own && after == " " {
			after = "\n"
		}
		if b.Len() > 0 {
			b.WriteString(after)
		}
		b.WriteString(strings.ReplaceAll(line, "\t", "  "))
		after = " "
		if own || !end {
			after = "\n"
		}
	}
	return b.String()
}

// Wrap wraps a line for a terminal of a width; a width of 0 does not wrap.
func Wrap(line string, width int) []string {
	if width == 0 {
		return []string{line}
	}
	var rows []string
	for line := range strings.SplitSeq(line, "\n") {
		rows = append(rows, style.HangingWrap(line, width)...)
	}
	return rows
}
