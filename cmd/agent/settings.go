package main

import (
	"errors"
	"strings"

	"agent/internal/app"
	"agent/internal/rawjson"
	"agent/internal/settings"
	"agent/internal/slash"

	"github.com/spf13/cobra"
)

// listOptions are the flags of agent settings.
type listOptions struct {
	settingsOptions
	key          string // all when empty
	json, schema bool
}

func newSettingsCommand(w world, run func(world, listOptions) error) *cobra.Command {
	var o listOptions
	cmd := &cobra.Command{
		Use:   "settings [KEY]",
		Short: "Every setting with its value, where that comes from, and what it takes",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage(errors.New("agent settings only shows; a value is for one run with --set KEY=VALUE, and kept by agent profile save NAME --set KEY=VALUE"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			o.key = strings.Join(args, "")
			return run(w, o)
		},
		ValidArgsFunction: completeKeys,
	}
	o.register(cmd, w)
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	cmd.Flags().BoolVar(&o.schema, "schema", false, "print the JSON Schema of a profile file, for editors")
	return cmd
}

func showSettings(w world, o listOptions) error {
	if o.schema {
		s, err := app.Registry().ProfileSchema()
		if err != nil {
			return err
		}
		return rawjson.WriteIndented(w.out, s)
	}
	s, err := w.Settings(o.sources())
	if err != nil {
		return err
	}
	chosen, err := chosenSettings(s, o.key)
	if err != nil {
		return err
	}
	switch {
	case o.json:
		return rawjson.WriteIndented(w.out, chosen)
	case o.key != "":
		return w.print(slash.DescribeSetting(chosen[0], s.Profile())...)
	default:
		return w.print(slash.SettingsTable(chosen, s.Profile())...)
	}
}

// chosenSettings are the one that key names, or all.
func chosenSettings(s *settings.Settings, key string) ([]settings.Resolved, error) {
	if key == "" {
		return s.All(), nil
	}
	one, err := s.Lookup(key)
	return []settings.Resolved{one}, err
}

func completeKeys(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var keys []cobra.Completion
	for _, spec := range app.Registry().Specs() {
		keys = append(keys, cobra.CompletionWithDesc(spec.Key, spec.Help))
	}
	return keys, cobra.ShellCompDirectiveNoFileComp
}

// completeAssignments proposes KEY= and, after that, the values of enums.
func completeAssignments(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var proposals []cobra.Completion
	for _, spec := range app.Registry().Specs() {
		values := spec.Values()
		if len(values) == 0 {
			values = []string{""}
		}
		for _, value := range values {
			proposals = append(proposals, cobra.CompletionWithDesc(spec.Key+"="+value, spec.Help))
		}
	}
	return proposals, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
