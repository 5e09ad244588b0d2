package main

import (
	"errors"
	"fmt"

	"agent/internal/base/humanize"
	"agent/internal/base/rawjson"
	"agent/internal/extend/setup/consent"
	"agent/internal/frontend/cli"

	"github.com/spf13/cobra"
)

func newTrust(w world) *cobra.Command {
	var workspace string
	var asJSON bool
	// with returns the action of a command that calls do with the items that require consent in the
	// workspace.
	with := func(do func(t *consent.Trust, items []string) ([]string, error)) func(*cobra.Command, []string) error {
		return func(_ *cobra.Command, items []string) error {
			folders, s, err := w.configured(settingsOptions{})
			if err != nil {
				return err
			}
			folder := w.process.Path(workspace)
			if folder == "" {
				return errors.New("the current folder was deleted; name one with -C")
			}
			lines, err := do(w.process.Trust(folders, s, folder), items)
			return errors.Join(printLines(w, lines), err)
		}
	}
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "List and approve the configuration of a repository",
		Long: `Lists the hooks, servers, commands and rules in the current repository that need your
approval, with their state: used, waiting, changed or refused. Your answer covers exactly the
content that you see, and the scripts that it names. Nothing is started.`,
		Args: cli.ExactArgs(0, "no arguments, or yes, no or forget"),
		RunE: with(func(t *consent.Trust, _ []string) ([]string, error) {
			if !asJSON {
				return t.Describe()
			}
			report, err := t.Report()
			if err != nil {
				return nil, err
			}
			return nil, rawjson.WriteIndented(w.out, report)
		}),
	}
	cmd.PersistentFlags().StringVarP(&workspace, "workspace", "C", "", "the `DIR` to look at instead of the current folder")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	answer := func(use, short string, yes bool) *cobra.Command {
		return &cobra.Command{
			Use: use + " [ITEM…]", Short: short, Args: cobra.ArbitraryArgs,
			RunE: with(func(t *consent.Trust, items []string) ([]string, error) { return t.Answer(yes, items...) }),
		}
	}
	cmd.AddCommand(
		answer("yes", "Approve all waiting items, or the items with these names or letters", true),
		answer("no", "Refuse all waiting items, or the items with these names or letters", false),
		&cobra.Command{
			Use: "forget", Short: "Delete your answers for this repository", Args: cli.ExactArgs(0, "no arguments"),
			RunE: with(func(t *consent.Trust, _ []string) ([]string, error) { return t.Forget() }),
		},
	)
	return cmd
}

func printLines(w world, lines []string) error {
	for _, line := range lines {
		if _, err := fmt.Fprintln(w.out, humanize.EscapeInvisible(line)); err != nil {
			return err
		}
	}
	return nil
}
