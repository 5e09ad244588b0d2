package main

import (
	"fmt"

	"agent/internal/app"
	"agent/internal/frontend/cli"

	"github.com/spf13/cobra"
)

func newPolicy(w world) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Show the policy of this machine, and test calls against it",
		Long: `Shows the policy that the administrator of this machine has set. The file belongs to root.
It can restrict your configuration, but not extend it. "agent policy test" shows the decision
on a call, with the reason:

	agent policy test 'run_shell_command(git push)'
	agent policy test mode=full-auto
	agent policy test 'web_fetch(https://example.com/)'

Instead of TOOL(ARGUMENT) it also takes mode=, sandbox=, host=, provider=, server= or login=,
followed by a value.`,
		Args: cli.ExactArgs(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			bounds, err := w.process.Policy()
			switch {
			case err != nil:
				return err
			case bounds == nil:
				return w.print("This machine has no policy (" + w.process.PolicyFile.Path + ").")
			}
			return w.print(append([]string{fmt.Sprintf("%s (sha256 %s)", bounds.Path, bounds.Hash)}, bounds.Describe()...)...)
		},
	}
	cmd.AddCommand(&cobra.Command{
		Use:     "test CALL",
		Short:   "Show the policy's decision on a call, with the reason",
		Example: "  agent policy test 'run_shell_command(git push)'\n  agent policy test mode=full-auto",
		Args:    cli.ExactArgs(1, "one call, such as 'run_shell_command(git push)'"),
		RunE: func(_ *cobra.Command, args []string) error {
			switch err := w.process.CheckPolicy(args[0]); {
			case err == nil:
				return w.print("Allowed: no policy on this machine restricts it. Approval modes and rules still apply.")
			case is[app.InputError](err):
				return err
			default:
				if err := w.print("refused: " + err.Error()); err != nil {
					return err
				}
				return statusError(exitFailed)
			}
		},
	})
	return cmd
}
