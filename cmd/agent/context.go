package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"sync"

	"agent/internal/app"
	"agent/internal/base/fsutil"
	"agent/internal/base/rawjson"
	"agent/internal/compression"
	"agent/internal/frontend/cli"
	"agent/internal/history"
	"agent/internal/offline"
	"agent/internal/session"
	"agent/internal/tokens"
	"agent/internal/tools"
	"agent/prompts"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// contextOptions holds the flags of the context commands.
type contextOptions struct {
	settingsOptions
	json bool
}

// printable is a result that can be printed for people; scripts receive it as JSON.
type printable interface{ Print(io.Writer) error }

func newContext(w world) *cobra.Command {
	group := &cobra.Command{
		Use:   "context",
		Short: "Inspect and replay context pruning on saved sessions",
		Long: `Reads a session log, or a document
{"workspaceRoot":"/w","history":[ENTRY,…],"config":{…}}. FILE may be - for
standard input.`,
		Args: cli.NoSubcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	group.AddCommand(
		contextCommand(w, "optimize", "Prune outdated content from a session and print the result", offlineOptimize),
		contextCommand(w, "compress", "Compress a session with the active strategy and print the result", func(cmd *cobra.Command, e *offline.Engine, in offline.Input) (printable, error) {
			return e.Compress(cmd.Context(), in)
		}),
		contextCommand(w, "show", "Show the size of a context and its largest entries", func(_ *cobra.Command, e *offline.Engine, in offline.Input) (printable, error) {
			return e.Show(in)
		}),
		contextCommand(w, "explain", "Show which content pruning would remove before the next request, and why", func(cmd *cobra.Command, e *offline.Engine, in offline.Input) (printable, error) {
			return e.Explain(cmd.Context(), in)
		}),
		newReplay(w),
	)
	return group
}

// A contextAction runs one context command on one file.
type contextAction func(cmd *cobra.Command, e *offline.Engine, in offline.Input) (printable, error)

func offlineOptimize(cmd *cobra.Command, e *offline.Engine, in offline.Input) (printable, error) {
	optimized, err := e.Optimize(in)
	if err == nil && optimized.Instead != "" {
		cmd.PrintErrf("Can't prune with %s: the input has no prices. Pruned with %s instead.\n", optimized.Instead, compression.DefaultName)
	}
	return optimized, err
}

func contextCommand(w world, name, short string, act contextAction) *cobra.Command {
	var o contextOptions
	cmd := &cobra.Command{
		Use:   name + " FILE",
		Short: short,
		Args:  cli.ExactArgs(1, "a file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := readInput(w, args[0])
			if err != nil {
				return err
			}
			engine, err := newEngine(w, o.settingsOptions)
			if err != nil {
				return err
			}
			outcome, err := act(cmd, engine, in)
			if err != nil {
				return inputError(in.Name, err)
			}
			// Terminals receive text, programs receive JSON.
			if o.json || name != "show" && name != "explain" && !term.IsTerminal(int(w.stdout.Fd())) {
				return rawjson.WriteIndented(w.out, outcome)
			}
			return w.printOutcome(outcome)
		},
	}
	o.register(cmd, w)
	return cmd
}

func newReplay(w world) *cobra.Command {
	var o contextOptions
	var against string
	cmd := &cobra.Command{
		Use:   "replay FILE…",
		Short: "Replay recordings and compare pruning strategies",
		Long: `Replays the turns of recordings with each strategy. Compares the tokens that would have
been sent, and the content that the model needed but would no longer have seen. Without a
configured context limit, the limit is twice the largest request. FILE may be - for
standard input.

Costs are relative to sending everything. --against recorded compares with the recording.
--against sent compares with the requests that agent would have sent, without line numbers
of other programs and with shortened tool results.`,
		Args: cli.CountedArgs(1, math.MaxInt, "one file or more, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if against != string(offline.AsRecorded) && against != string(offline.AsSent) {
				return usage(fmt.Errorf("--against %s: use recorded or sent", against))
			}
			var reports []*offline.Report
			for _, file := range args {
				in, err := readInput(w, file)
				if err != nil {
					return err
				}
				in.Against = offline.Reference(against)
				report, err := offline.Replay(cmd.Context(), in, offline.Strategies(), engines(w, o.settingsOptions))
				if err != nil {
					return inputError(in.Name, err)
				}
				reports = append(reports, report)
			}
			if o.json {
				return rawjson.WriteIndented(w.out, reports)
			}
			return offline.Print(w.out, reports)
		},
	}
	cmd.Flags().StringVar(&against, "against", string(offline.AsRecorded), "compare costs with `BASE`: recorded or sent")
	o.register(cmd, w)
	return cmd
}

func (o *contextOptions) register(cmd *cobra.Command, w world) {
	o.settingsOptions.register(cmd, w)
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
}

// readInput reads a session log or a document. An invalid file is a usage error.
func readInput(w world, file string) (offline.Input, error) {
	var data []byte
	var err error
	if file == "-" {
		data, err = io.ReadAll(io.LimitReader(w.stdin, offline.MaxInput+1))
		if len(data) > offline.MaxInput {
			err = &fsutil.SizeError{Most: offline.MaxInput}
		}
		file = "standard input"
	} else {
		data, err = fsutil.ReadUpTo(w.process.Path(file), offline.MaxInput)
	}
	if err != nil {
		return offline.Input{}, usage(fmt.Errorf("can't read %s: %w", file, fsutil.Reason(err)))
	}
	in, notices, err := offline.Parse(file, data)
	if err != nil {
		return in, usage(err)
	}
	for _, notice := range session.FirstNotices(notices) {
		fmt.Fprintln(w.people, notice)
	}
	return in, nil
}

// inputError turns an error in a document into a usage error.
func inputError(name string, err error) error {
	if is[*history.DocumentError](err) {
		return usage(fmt.Errorf("%s: %w", name, err))
	}
	return err
}

func newEngine(w world, o settingsOptions) (*offline.Engine, error) { return engines(w, o)() }

// engines returns a function that returns engines, each with its own settings. The engines share
// the parts that take long to load.
func engines(w world, o settingsOptions) func() (*offline.Engine, error) {
	shared := sync.OnceValues(func() (offline.Engine, error) {
		f, err := w.process.Folders()
		if err != nil {
			return offline.Engine{}, err
		}
		templates, err := prompts.Load(filepath.Join(f.Config, "prompts"))
		return offline.Engine{
			Counter: func(model string) history.Counter { return tokens.NewCounter(tokens.EncodingFor(model)) },
			Tools:   tools.NewRegistry(tools.Default()...),
			System:  app.SystemPrompt(templates, func() prompts.Session { return prompts.Session{} }),
			Now:     w.process.Now,
		}, err
	})
	return func() (*offline.Engine, error) {
		engine, err := shared()
		if err == nil {
			engine.Settings, err = w.process.Settings(o.sources())
		}
		return &engine, err
	}
}
