package main

import (
	"errors"
	"fmt"

	"agent/internal/cli"
	"agent/internal/rawjson"
	"agent/internal/setup/consent"
	"agent/internal/words"

	"github.com/spf13/cobra"
)

const trustProjectHelp = "agree for this run to what the repository wants run, connected to or allowed"

// trustOptions are the flags of agent trust.
type trustOptions struct {
	workspace string
	json      bool
}

func newTrust(w world) *cobra.Command {
	var o trustOptions
	list := func(cmd *cobra.Command, _ []string) error { return listTrust(w, o) }
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Show and answer what a repository wants run, connected to or allowed",
		Long: `Lists what the files of the current folder's repository want run, connected to or
allowed, and whether you agreed: used, waiting, changed or refused. Your answer is for
exactly that content, and for the bytes of the scripts that it names. Nothing is started.`,
		Args: cli.ExactArgs(0, "no arguments, or yes, no or forget"),
		RunE: list,
	}
	cmd.PersistentFlags().StringVarP(&o.workspace, "workspace", "C", "", "the `DIR` to look at instead of the current folder")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	answer := func(use, short string, yes bool) *cobra.Command {
		return &cobra.Command{
			Use: use + " [ITEM…]", Short: short, Args: cobra.ArbitraryArgs,
			RunE: func(_ *cobra.Command, items []string) error {
				return changeTrust(w, o, func(t *consent.Trust) ([]string, error) { return t.Answer(yes, items...) })
			},
		}
	}
	cmd.AddCommand(
		answer("yes", "Agree to all that waits, or to items by name or letters", true),
		answer("no", "Refuse all that waits, or items by name or letters", false),
		&cobra.Command{
			Use: "forget", Short: "Forget your answers about this repository", Args: cli.ExactArgs(0, "no arguments"),
			RunE: func(*cobra.Command, []string) error { return changeTrust(w, o, (*consent.Trust).Forget) },
		},
	)
	return cmd
}

// trustOf finds what needs consent in the folder that is meant.
func trustOf(w world, o trustOptions) (*consent.Trust, error) {
	folders, s, err := w.configured(settingsOptions{})
	if err != nil {
		return nil, err
	}
	workspace := w.Path(o.workspace)
	if workspace == "" {
		return nil, errors.New("the current folder was deleted; name one with -C")
	}
	return w.Trust(folders, s, workspace), nil
}

func listTrust(w world, o trustOptions) error {
	t, err := trustOf(w, o)
	if err != nil {
		return err
	}
	if o.json {
		report, err := t.Report()
		if err != nil {
			return err
		}
		return rawjson.WriteIndented(w.out, report)
	}
	lines, err := t.Lines()
	if err != nil {
		return err
	}
	return printLines(w, lines)
}

func changeTrust(w world, o trustOptions, change func(*consent.Trust) ([]string, error)) error {
	t, err := trustOf(w, o)
	if err != nil {
		return err
	}
	lines, err := change(t)
	return errors.Join(printLines(w, lines), err)
}

func printLines(w world, lines []string) error {
	for _, line := range lines {
		if _, err := fmt.Fprintln(w.out, words.Visible(line)); err != nil {
			return err
		}
	}
	return nil
}
