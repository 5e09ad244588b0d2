// Package cli explains a command line: it prints help and the manual page, and describes invalid arguments
// and flags in plain words. It does not depend on particular commands.
package cli

import (
	"fmt"
	"io"
	"strings"

	"agent/internal/tui/style"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpColumns limits the width of help in columns, because longer lines are hard to read.
const helpColumns = 100

// Help prints the purpose and the usage of a command. width is the width of the terminal, or 0 if there is
// none.
func Help(out io.Writer, width int, cmd *cobra.Command) {
	if width == 0 || width > helpColumns {
		width = helpColumns
	}
	for _, row := range helpRows(cmd, width) {
		fmt.Fprintln(out, row)
	}
}

// NewHelp returns the command that explains another command. search handles words that are not a command.
func NewHelp(search func(words []string) error) *cobra.Command {
	return &cobra.Command{
		Use:     "help [WORDS]",
		Short:   "Explain a command, or search the documentation",
		Example: "  agent help sessions\n  agent help undo a change",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 || about == cmd.Root() && len(args) > 0 {
				return search(args)
			}
			return about.Help()
		},
	}
}

// groupKey is the annotation that holds the group of a flag.
const groupKey = "group"

// GroupFlag assigns a flag to a group of the help.
func GroupFlag(f *pflag.Flag, group string) {
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[groupKey] = []string{group}
}

// groupedFlags returns the usage of the flags of a command, each
// group below its title.
func groupedFlags(cmd *cobra.Command) string {
	var titles []string
	sets := map[string]*pflag.FlagSet{}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		title := "Flags"
		if group := f.Annotations[groupKey]; len(group) > 0 {
			title = group[0] + " flags"
		}
		if sets[title] == nil {
			titles, sets[title] = append(titles, title), pflag.NewFlagSet(title, pflag.ContinueOnError)
		}
		sets[title].AddFlag(f)
	})
	var b strings.Builder
	for _, title := range titles {
		fmt.Fprintf(&b, "\n%s:\n%s", title, sets[title].FlagUsages())
	}
	return b.String()
}

// StrictCompletion makes the completion command refuse unknown shells.
func StrictCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Short = "Generate a shell completion script"
			cmd.Args = NoSubcommand
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}

// usageOf returns the usage of a command, with its flags in groups.
func usageOf(cmd *cobra.Command) string {
	usage := cmd.UsageString()
	before, flags, found := strings.Cut(usage, "\n\nFlags:\n")
	if !found {
		return usage
	}
	_, after, _ := strings.Cut(flags, "\n\n")
	return before + "\n" + groupedFlags(cmd) + "\n" + after
}

func helpRows(cmd *cobra.Command, width int) (rows []string) {
	about := cmd.Long
	if about == "" {
		about = cmd.Short
	}
	text := unbroken(about) + "\n\n" + strings.TrimRight(usageOf(cmd), "\n")
	for line := range strings.SplitSeq(text, "\n") {
		rows = append(rows, Wrap(line, width)...)
	}
	return rows
}

// unbroken joins the lines of paragraphs, so that they can be wrapped at another width. Indented lines,
// such as examples, stay unchanged.
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

// Wrap wraps a line for a terminal with a width. A width of 0 means no wrapping.
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
