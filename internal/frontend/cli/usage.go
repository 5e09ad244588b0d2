package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"agent/internal/app"
	"agent/internal/base/suggest"
)

// FlagError describes the error of a flag in plain words.
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
		said = "unknown flag " + name + suggest.Question(name, names)
	case *pflag.ValueRequiredError:
		name := "--" + err.GetFlag().Name
		if err.GetSpecifiedShortnames() != "" {
			name = "-" + err.GetFlag().Shorthand
		}
		said = name + " needs a value"
	case *pflag.InvalidValueError:
		said = fmt.Sprintf("--%s takes %s, not %q", err.GetFlag().Name, valueText(err.GetFlag()), err.GetValue())
	}
	return seeHelp(cmd, said)
}

// seeHelp returns an error for wrong usage of a command, with a hint to its help.
func seeHelp(cmd *cobra.Command, said string) error {
	see := "; see "
	if strings.HasSuffix(said, "?") {
		see = " See "
	}
	return app.InputError{Err: errors.New(said + see + cmd.CommandPath() + " --help")}
}

func valueText(flag *pflag.Flag) string {
	switch flag.Value.Type() {
	case "bool":
		return "true or false"
	case "duration":
		return "a duration such as 90s or 10m"
	}
	return "a " + flag.Value.Type()
}

// NoSubcommand returns an error for an unknown subcommand, instead of showing help.
func NoSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	said := "unknown command " + cmd.CommandPath() + " " + args[0]
	if near := suggest.Similar(args[0], names, 1); len(near) > 0 {
		said += "; did you mean " + cmd.CommandPath() + " " + near[0] + "?"
	}
	return seeHelp(cmd, said)
}

// ExactArgs is cobra's ExactArgs with an error message for users.
func ExactArgs(n int, what string) cobra.PositionalArgs { return CountedArgs(n, n, what) }

// CountedArgs accepts from least to most arguments. For any other number, the error describes the expected
// arguments.
func CountedArgs(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if least <= len(args) && len(args) <= most {
			return nil
		}
		path := cmd.CommandPath()
		if len(args) > most {
			return app.InputError{Err: fmt.Errorf("unexpected argument %q: %s takes %s; see %s --help", args[most], path, what, path)}
		}
		return app.InputError{Err: fmt.Errorf("%s needs %s; see %s --help", path, what, path)}
	}
}
