package main

import (
	"context"

	"agent/internal/acp"
	"agent/internal/app"
	"agent/internal/cli"

	"github.com/spf13/cobra"
)

func newACP(w world) *cobra.Command {
	var o sessionOptions
	cmd := &cobra.Command{
		Use:   "acp",
		Short: "Be driven by an editor over the Agent Client Protocol",
		Long: `Speaks the Agent Client Protocol, version 1, over standard input and output, for
editors such as Zed, JetBrains' and Emacs. Each session of the editor is a conversation
in the folder that the editor names. What is for people goes to standard error.`,
		Args: cli.ExactArgs(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runACP(cmd.Context(), w, o) },
	}
	o.registerLimits(cmd, w)
	return cmd
}

func runACP(ctx context.Context, w world, o sessionOptions) error {
	log, err := w.startLog(o.debug)
	if err != nil {
		return err
	}
	if _, err := w.Settings(o.sources()); err != nil {
		return err
	}
	w.Say = nil // what is for people goes to the editor as notices
	return acp.Serve(ctx, forEditor(w, o), w.stdin, w.stdout, log.Logger)
}

// forEditor makes the conversations of an editor as flags say.
func forEditor(w world, o sessionOptions) acp.Agent {
	return acp.Agent{Process: w.Process, Make: func(ctx context.Context, folder, id string, front app.Options) (*app.Conversation, error) {
		o := o
		o.workspace, o.resume = folder, id
		return newConversation(ctx, w, o, front)
	}}
}
