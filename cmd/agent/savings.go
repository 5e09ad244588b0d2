package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/base/rawjson"
	"agent/internal/offline"
	"agent/internal/offline/logs"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

type savingsFlags struct {
	contextOptions
	days    int
	by, svg string
}

func newSavings(w world) *cobra.Command {
	var o savingsFlags
	cmd := &cobra.Command{
		Use:   "savings [PATH…]",
		Short: "Compare the cost of past sessions with and without pruning",
		Long: `Reads the sessions that coding agents recorded on this machine: Claude Code, Codex, Gemini
CLI, pi and agent. Replays each session twice at the prices of its model: with the whole
context, and with the strategy cache-aware. Nothing is sent, changed or copied. PATH is a
session, a folder of sessions, or the output of "opencode export"; the default is the
folders of all these programs.

"missing" counts texts that an edit quoted although pruning would have removed them. The
cost includes reading them again.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.by != "" && !slices.Contains(offline.GroupNames(), o.by) {
				return usage(fmt.Errorf("--by %s: use one of %s", o.by, strings.Join(offline.GroupNames(), ", ")))
			}
			if o.days < 0 {
				return usage(fmt.Errorf("--days %d: use 1 or more, or 0 for all days", o.days))
			}
			if len(args) > 0 && !cmd.Flags().Changed("days") {
				o.days = 0 // a named session counts at any age
			}
			return runSavings(cmd, w, o, args)
		},
	}
	o.register(cmd, w)
	cmd.Flags().IntVar(&o.days, "days", 30, "read the sessions of the last `N` days; 0 for all (default for a PATH)")
	cmd.Flags().StringVar(&o.by, "by", "", "group the report by `GROUPS`: "+strings.Join(offline.GroupNames(), ", ")+" (default project and model)")
	cmd.Flags().StringVar(&o.svg, "svg", "", "also write a chart as SVG to `FILE`")
	return cmd
}

func runSavings(cmd *cobra.Command, w world, o savingsFlags, paths []string) error {
	var since time.Time
	if o.days > 0 {
		since = w.process.Now().AddDate(0, 0, -o.days)
	}
	var skipped []offline.Skipped
	files, err := w.sessionFiles(paths, func(path string, err error) {
		skipped = append(skipped, offline.Skipped{File: path, Reason: fsutil.Reason(err).Error()})
	})
	if err != nil {
		return err
	}
	var older []logs.File
	files, older = logs.Since(files, since)
	// Most memory that a session needs is garbage soon after it is read. Collecting less often saves 6 % of
	// the time and costs 30 MB of memory.
	debug.SetGCPercent(400)
	done, finish := w.progress(files)
	found, err := offline.FindSavings(cmd.Context(), files, offline.SavingsOptions{Since: since, Done: done}, engines(w, o.settingsOptions))
	finish()
	if err != nil {
		return err
	}
	for _, file := range older {
		found.CountExcluded(file.Changed)
	}
	found.Days, found.Skipped = o.days, append(found.Skipped, skipped...)
	if o.svg != "" {
		if err := fsutil.Replace(w.process.Path(o.svg), []byte(found.Picture(w.process.Home)), 0o644); err != nil {
			return fmt.Errorf("can't write the chart: %w", fsutil.Reason(err))
		}
	}
	if o.json {
		return rawjson.WriteIndented(w.out, found)
	}
	return found.Print(w.out, offline.GroupBy(o.by), w.process.Home)
}

// sessionFiles returns the named files and the files below the named folders. Without names, it returns the
// session files of all supported programs.
func (w world) sessionFiles(paths []string, skip func(string, error)) (files []logs.File, err error) {
	if len(paths) == 0 {
		f, err := w.process.Folders()
		return append(logs.Find(w.process.Home, w.process.Env, skip), logs.FindBelow(f.Sessions(), skip)...), err
	}
	for _, path := range paths {
		info, err := os.Stat(w.process.Path(path))
		switch {
		case err != nil:
			return nil, usage(fmt.Errorf("can't read %s: %w", path, fsutil.Reason(err)))
		case info.IsDir():
			files = append(files, logs.FindBelow(w.process.Path(path), skip)...)
		default:
			files = append(files, logs.File{Path: w.process.Path(path), Size: info.Size(), Changed: info.ModTime()})
		}
	}
	return files, nil
}

// progress returns a function that shows on a terminal how many bytes were read. finish removes the line.
func (w world) progress(files []logs.File) (done func(int64), finish func()) {
	if !term.IsTerminal(int(w.stderr.Fd())) {
		return nil, func() {}
	}
	var total, read, count atomic.Int64
	for _, f := range files {
		total.Add(f.Size)
	}
	show := func(n int64) {
		fmt.Fprintf(w.stderr, "\r\x1b[K%s of %s, %d of %d sessions", humanize.Bytes(read.Add(n)), humanize.Bytes(total.Load()), count.Add(1), len(files))
	}
	return show, func() { fmt.Fprint(w.stderr, "\r\x1b[K") }
}
