package main

import (
	"fmt"
	"slices"

	"agent/internal/frontend/cli"
	"agent/internal/frontend/doctor"

	"github.com/spf13/cobra"
)

func newDoctor(w world) *cobra.Command {
	var o settingsOptions
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check configuration, endpoint, key, model, terminal and tools",
		Args:  cli.ExactArgs(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			findings := doctor.Examine(cmd.Context(), w.process, w.session, o.sources(), w.stdin, w.stdout)
			var lines []string
			for _, f := range findings {
				lines = append(lines, fmt.Sprintf("%-4s  %s", f.Grade, f.What))
				if f.Todo != "" {
					lines = append(lines, "      → "+f.Todo)
				}
			}
			if err := w.print(lines...); err != nil {
				return err
			}
			if slices.ContainsFunc(findings, func(f doctor.Finding) bool { return f.Grade == "fix" }) {
				return statusError(exitFailed)
			}
			return nil
		},
	}
	o.register(cmd, w)
	return cmd
}
