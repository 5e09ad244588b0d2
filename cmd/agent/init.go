package main

import (
	"context"
	"errors"
	"strings"

	"agent/internal/cli"

	"github.com/spf13/cobra"
)

func newInit(w world, run func(context.Context, world, sessionOptions) error) *cobra.Command {
	var o sessionOptions
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Let the model write AGENTS.md, the instructions for agents in this folder",
		Long: `Opens a session with /init: the model reads the project and what it says to agents
already, and writes AGENTS.md, which you are asked about. With -p nobody can be asked:
add --allow 'write_file(AGENTS.md)'.`,
		Args: cli.ExactArgs(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.headless = cmd.Flags().Changed("prompt")
			if strings.TrimSpace(o.prompt) != "" {
				return usage(errors.New("agent init has a prompt of its own; leave out that of -p"))
			}
			o.prompt = "/init"
			return run(cmd.Context(), w, o)
		},
	}
	o.register(cmd, w)
	cmd.Flags().Lookup("prompt").NoOptDefVal = " "
	return cmd
}
