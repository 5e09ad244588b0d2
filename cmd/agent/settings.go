package main

import (
	"agent/internal/command"
	"agent/internal/rawjson"
	"agent/internal/settings"

	"github.com/spf13/cobra"
)

func newSettingsCommand(w world) *cobra.Command {
	var o options
	var asJSON, schema bool
	cmd := &cobra.Command{
		Use:   "settings [KEY]",
		Short: "Every setting with its value, where that comes from, and what it takes",
		Args:  countedArgs(0, 1, "one key, or none for all"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if schema {
				s, err := newRegistry().ProfileSchema()
				if err != nil {
					return err
				}
				return rawjson.WriteIndented(w.out, s)
			}
			f, err := w.folders()
			if err != nil {
				return err
			}
			s, _, err := newSettings(w, f, o)
			if err != nil {
				return err
			}
			chosen, err := chosenSettings(s, args)
			if err != nil {
				return err
			}
			switch {
			case asJSON:
				return rawjson.WriteIndented(w.out, chosen)
			case len(args) == 1:
				return printLines(cmd, command.DescribeSetting(chosen[0], s.Profile()))
			default:
				return printLines(cmd, command.SettingsTable(chosen, s.Profile()))
			}
		},
		ValidArgsFunction: completeKeys,
	}
	o.registerSettings(cmd, w)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of a profile file, for editors")
	return cmd
}

// chosenSettings are the one the arguments name, or all.
func chosenSettings(s *settings.Settings, args []string) ([]settings.Resolved, error) {
	if len(args) == 0 {
		return s.All(), nil
	}
	one, err := s.Lookup(args[0])
	return []settings.Resolved{one}, err
}

func completeKeys(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var keys []cobra.Completion
	for _, spec := range newRegistry().Specs() {
		keys = append(keys, cobra.CompletionWithDesc(spec.Key, spec.Help))
	}
	return keys, cobra.ShellCompDirectiveNoFileComp
}

// completeAssignments proposes KEY= and, after that, the values of enums.
func completeAssignments(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var proposals []cobra.Completion
	for _, spec := range newRegistry().Specs() {
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
