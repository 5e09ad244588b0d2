package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"agent/internal/base/tempdir"
	"agent/internal/llm/demo"
	"agent/internal/provider"

	"github.com/spf13/cobra"
)

func newDemo(w world) *cobra.Command {
	var o sessionOptions
	cmd := &cobra.Command{
		Use:   "demo [PROMPT…]",
		Short: "Run a short coding task with the embedded demo model",
		Long: `Runs agent with an embedded, scripted model in a temporary workspace. It needs no key and
no network, and doesn't change your files. Everything except the model is real.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.headless = cmd.Flags().Changed("prompt")
			return runDemo(cmd.Context(), w, o.withWords(args), "This is the demo: a scripted model in a scratch workspace. Costs are those of Claude Sonnet 4.5.")
		},
	}
	o.register(cmd, w)
	// -p without a value plays the scripted job.
	cmd.Flags().Lookup("prompt").NoOptDefVal = " "
	return cmd
}

// demoSettings holds the prices of Claude Sonnet 4.5 in November 2026.
var demoSettings = []string{"price.input=3", "price.output=15", "price.cache-read=0.3"}

// runDemo runs the demo in a scratch workspace that is removed afterwards.
func runDemo(ctx context.Context, w world, o sessionOptions, notice string) error {
	temp := tempdir.New(os.TempDir(), w.process.Now())
	defer func() { _ = temp.Remove() }() // the next start removes leftovers
	defer w.process.OnAbort(func() { _ = temp.Remove() })()
	scratch := filepath.Join(temp.Path(), "demo")
	if err := errors.Join(temp.Make(), os.MkdirAll(scratch, 0o700)); err != nil {
		return fmt.Errorf("can't create the demo's workspace: %w. Set TMPDIR to a writable folder", err)
	}
	if err := demo.Workspace(scratch); err != nil {
		return err
	}
	w.process.CacheHome = filepath.Join(temp.Path(), "cache")
	o.Workspace, o.isolated, o.Record.Folder = scratch, true, filepath.Join(temp.Path(), "records")
	o.baseURL, o.provider, o.model = "", "", ""
	o.Record.Continue, o.Record.Resume, o.Record.Fork = false, "", false // the records of a demo are removed with it
	o.set = append(slices.Clone(demoSettings), o.set...)
	if o.prompt == "" {
		o.prompt = demo.Prompt
	}
	source := func(ctx context.Context, c *provider.Connection) (string, func(), error) {
		server, err := demo.Start(ctx, demo.Options{})
		if err != nil {
			return "", nil, fmt.Errorf("can't start the demo model: %w", err)
		}
		if err := c.Use(server.BaseURL, demo.Model); err != nil {
			server.Close()
			return "", nil, err
		}
		return notice, server.Close, nil
	}
	if !o.headless {
		return converseInTerminal(ctx, w, o, source)
	}
	if o.approvalMode == "" {
		o.approvalMode = "full-auto" // no user can answer, and no action of the demo needs approval
	}
	return runHeadless(ctx, w, o, source)
}
