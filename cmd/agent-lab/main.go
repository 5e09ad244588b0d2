// Command agent-lab measures the context engine. It is for the developers of the engine. It works on
// recordings, like agent context, and reports:
//
//	agent-lab variants FILE…           the cost of variants of the engine
//	agent-lab variants --optimum FILE… also the least possible cost of each recording
//	agent-lab requests FILE…           whether a replay makes the decisions of the session, by request
//	agent-lab explore FILE…            the cost of long searches if they had been tasks of a subagent
//	agent-lab warm FILE…               the costs and savings of refreshes of the cache
//
// It is built and tested with the program but not released.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"agent/internal/app"
	"agent/internal/base/rawjson"
	"agent/internal/history"
	"agent/internal/offline"
	"agent/internal/tokens"
	"agent/internal/tools"
	"agent/prompts"

	"github.com/spf13/cobra"
)

func main() {
	home, _ := os.UserHomeDir()
	dir, _ := os.Getwd()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	root := newRoot(&app.Process{Environ: os.Environ(), Home: home, Dir: dir, Now: time.Now})
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "agent-lab:", err)
		os.Exit(1)
	}
}

func newRoot(p *app.Process) *cobra.Command {
	root := &cobra.Command{
		Use: "agent-lab", Short: "Measure the context engine on recordings",
		SilenceUsage: true, SilenceErrors: true,
	}
	requests := newMeasurement(p, "requests FILE…", "Show each request of a session, and whether a replay decides as the session did", oneByOne, printRequests)
	warming := newMeasurement(p, "warm FILE…", "Show the costs and savings of refreshes of the cache", timed, printWarm)
	root.AddCommand(requests, warming)
	return root
}

// newMeasurement returns a command that runs measure on each named recording and prints all results.
func newMeasurement[T any](p *app.Process, use, short string, measure func(context.Context, offline.Input, func() (*offline.Engine, error)) (T, error), show func(io.Writer, []T) error) *cobra.Command {
	var set []string
	var asJSON bool
	cmd := &cobra.Command{Use: use, Short: short, Args: cobra.MinimumNArgs(1), RunE: func(cmd *cobra.Command, files []string) error {
		fresh, err := engines(p, set)
		if err != nil {
			return err
		}
		var all []T
		for _, file := range files {
			in, err := read(p, file)
			if err != nil {
				return err
			}
			one, err := measure(cmd.Context(), in, fresh)
			if err != nil {
				return err
			}
			all = append(all, one)
		}
		if asJSON {
			return rawjson.WriteIndented(cmd.OutOrStdout(), all)
		}
		return show(cmd.OutOrStdout(), all)
	}}
	cmd.Flags().StringArrayVar(&set, "set", nil, "set `KEY=VALUE` for this run (repeatable)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// read reads a recording. It returns an error for a damaged recording, because its figures would mislead.
func read(p *app.Process, file string) (offline.Input, error) {
	data, err := os.ReadFile(p.Path(file))
	if err != nil {
		return offline.Input{}, err
	}
	in, notices, err := offline.Parse(file, data)
	if err == nil && len(notices) > 0 {
		err = errors.New(notices[0])
	}
	return in, err
}

// engines returns a function that returns engines with the user's settings, each with its own copy.
func engines(p *app.Process, set []string) (func() (*offline.Engine, error), error) {
	folders, err := p.Folders()
	if err != nil {
		return nil, err
	}
	templates, err := prompts.Load(filepath.Join(folders.Config, "prompts"))
	if err != nil {
		return nil, err
	}
	return func() (*offline.Engine, error) {
		s, err := p.Settings(app.Sources{Set: set})
		return &offline.Engine{
			Settings: s,
			Counter:  func(model string) history.Counter { return tokens.NewCounter(tokens.EncodingFor(model)) },
			Tools:    tools.NewRegistry(tools.Default()...),
			System:   app.SystemPrompt(templates, func() prompts.Session { return prompts.Session{} }),
			Now:      p.Now,
		}, err
	}, nil
}
