package main

import (
	"errors"

	"agent/internal/app"
	"agent/internal/cli"
	"agent/internal/command"
	"agent/internal/settings"
	"agent/internal/slash"

	"github.com/spf13/cobra"
)

// newProfile makes the profile commands of the shell out of those of the prompt.
func newProfile(w world) *cobra.Command {
	var o settingsOptions
	group := &cobra.Command{
		Use:   "profile",
		Short: "Profiles: settings kept under a name",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && (args[0] == "load" || args[0] == "use") {
				return usage(errors.New("a profile is loaded for a run by --profile NAME, and at every start by agent profile default NAME"))
			}
			return cli.NoSubcommand(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, sub := range []struct {
		use, short string
		named      bool
	}{
		{"list", "List the profiles", false},
		{"show NAME", "Show what a profile sets", true},
		{"save NAME", "Keep the settings of the flags and the environment under a name", true},
		{"delete NAME", "Delete a profile", true},
		{"default NAME", "Load a profile at every start; none for no profile", true},
	} {
		cmd := &cobra.Command{Use: sub.use, Short: sub.short, Args: cli.ExactArgs(0, "no arguments")}
		if sub.named {
			cmd.Args = cli.ExactArgs(1, "the name of a profile")
			cmd.ValidArgsFunction = completeProfiles(w)
		}
		name := cmd.Name()
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			commands, err := settingsCommands(cmd, w, o)
			if err != nil {
				return err
			}
			out, err := commands.RunArgs(cmd.Context(), "profile", append([]string{name}, args...))
			if err != nil {
				return usage(err)
			}
			return w.print(out.Lines...)
		}
		o.register(cmd, w)
		group.AddCommand(cmd)
	}
	return group
}

// settingsCommands are the slash commands that need no conversation. They use no
// profile unless one is named: a broken default profile must not keep anybody from
// listing or deleting it.
func settingsCommands(cmd *cobra.Command, w world, o settingsOptions) (*command.Commands, error) {
	if o.profile == "" {
		o.profile = settings.NoProfile
	}
	f, s, err := w.configured(o)
	if err != nil {
		return nil, err
	}
	return slash.New(cmd.Context(), slash.Deps{Settings: s, Profiles: settings.NewStore(f.Config, s.Registry()), Now: w.Now}), nil
}

func completeProfiles(w world) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		f, err := w.Folders()
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		names, err := settings.NewStore(f.Config, app.Registry()).List()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
