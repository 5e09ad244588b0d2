package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// An ExitStatus is an exit status of the program, its meaning in a few words, and whether a script should
// run the program again.
type ExitStatus struct {
	Code         int
	Means, Retry string
}

// ManPage returns the manual page of a program and all its commands, in the language of man(7). The page has
// no date, so that two builds of the same commit are identical.
func ManPage(root *cobra.Command, statuses []ExitStatus) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH AGENT 1 \"\" \"agent %s\" \"User Commands\"\n.SH NAME\nagent \\- %s\n.SH SYNOPSIS\n", roff(root.Version), roff(root.Short))
	fmt.Fprintf(&b, ".B %s\n[\\fIOPTIONS\\fR]\n.br\n.B agent\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n%s.SH OPTIONS\n", roff(root.Use), paragraphs(root.Long))
	options(&b, root.Flags())
	b.WriteString(".SH COMMANDS\n")
	commandsOf(&b, root)
	b.WriteString(".SH EXIT STATUS\n")
	for _, s := range statuses {
		fmt.Fprintf(&b, ".TP\n%d\n%s\n", s.Code, roff(s.Means))
	}
	b.WriteString(".SH EXAMPLES\n.nf\n" + roff(root.Example) + "\n.fi\n")
	b.WriteString(".SH SEE ALSO\n.BR git (1)\n")
	return b.String()
}

func commandsOf(b *strings.Builder, parent *cobra.Command) {
	for _, c := range parent.Commands() {
		if c.Hidden || c.Name() == "help" {
			continue
		}
		fmt.Fprintf(b, ".SS %s\n%s", roff(c.UseLine()), paragraphs(c.Short+".\n\n"+c.Long))
		options(b, c.LocalNonPersistentFlags())
		commandsOf(b, c)
	}
}

// options formats flags as paragraphs with hanging names.
func options(b *strings.Builder, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, help := pflag.UnquoteUsage(f)
		name := "\\fB\\-\\-" + roff(f.Name) + "\\fR"
		if f.Shorthand != "" {
			name = "\\fB\\-" + f.Shorthand + "\\fR, " + name
		}
		if value != "" {
			name += " \\fI" + roff(value) + "\\fR"
		}
		fmt.Fprintf(b, ".TP\n%s\n%s\n", name, roff(help))
	})
}

// paragraphs formats the paragraphs of a text. Indented lines stay unchanged.
func paragraphs(text string) string {
	var b strings.Builder
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if strings.HasPrefix(paragraph, " ") {
			fmt.Fprintf(&b, ".PP\n.nf\n%s\n.fi\n", roff(paragraph))
			continue
		}
		fmt.Fprintf(&b, ".PP\n%s\n", roff(paragraph))
	}
	return b.String()
}

// roff escapes a text so that no part of it is a roff instruction.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
