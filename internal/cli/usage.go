package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"agent/internal/app"
	"agent/internal/nearest"
)

// FlagError says in plain words what is wrong with a flag.
func FlagError(cmd *cobra.Command, err error) error {
	said := err.Error()
	switch err := err.(type) {
	case *pflag.NotExistError:
		name := "-" + err.GetSpecifiedName()
		var names []string
		if err.GetSpecifiedShortnames() == "" {
			name = "-" + name
			cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		}
		said = "there is no flag " + name + nearest.Question(name, names)
	case *pflag.ValueRequiredError:
		name := "--" + err.GetFlag().Name
		if err.GetSpecifiedShortnames() != "" {
			name = "-" + err.GetFlag().Shorthand
		}
		said = name + " needs a value"
	case *pflag.InvalidValueError:
		said = fmt.Sprintf("--%s takes %s, not %q", err.GetFlag().Name, taken(err.GetFlag()), err.GetValue())
	}
	return seeHelp(cmd, said)
}

// seeHelp is wrong usage of a command, with where to read on.
func seeHelp(cmd *cobra.Command, said string) error {
	see := "; see "
	if strings.HasSuffix(said, "?") {
		see = " See "
	}
	return app.InputError{Err: errors.New(said + see + cmd.CommandPath() + " --help")}
}

// taken is what a flag takes.
func taken(flag *pflag.Flag) string {
	switch flag.Value.Type() {
	case "bool":
		return "true or false"
	case "duration":
		return "a duration such as 90s or 10m"
	}
	return "a " + flag.Value.Type()
}

// NoSubcommand refuses a word that is no subcommand, instead of showing help.
func NoSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	said := "there is no command " + cmd.CommandPath() + " " + args[0]
	if near := nearest.Of(args[0], names, 1); len(near) > 0 {
		said += "; did you mean " + cmd.CommandPath() + " " + near[0] + "?"
	}
	return seeHelp(cmd, said)
}

// ExactArgs is cobra's ExactArgs with words a person understands.
func ExactArgs(n int, what string) cobra.PositionalArgs { return CountedArgs(n, n, what) }

// CountedArgs takes from least to most arguments, and says what they are when
// there are more or fewer.
func CountedArgs(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if least <= len(args) && len(args) <= most {
			return nil
		}
		return app.InputError{Err: fmt.Errorf("%s needs %s; see %s --help", cmd.CommandPath(), what, cmd.CommandPath())}
	}
}
