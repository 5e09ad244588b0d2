package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/base/rawjson"
	"agent/internal/offline/logs"
	"agent/internal/sessionsearch"
	"agent/internal/slash"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// searchFlags holds the flags of agent sessions search.
type searchFlags struct{ all, other, json bool }

func newSessionsSearch(w world) *cobra.Command {
	var o searchFlags
	cmd := &cobra.Command{
		Use:   "search WORDS…",
		Short: "Search the sessions of this repository",
		Long: `Searches messages, replies, commands, paths and results in the sessions of this repository
and its worktrees, pruned content included. Entries with the most matching words come
first, then the latest. A word of four letters or more also matches as the beginning of a
longer word.

  "exact words"   those words in that order (in a shell: '"exact words"')
  -word           entries without the word
  path:FILE       calls that name the file, and their results
  tool:NAME       calls of the tool, and their results
  before:DATE     entries before a date (2026-01-31 or 2026-01-31T09:30)
  after:DATE      entries since a date

Flags come before the words. Exit status 1 means that nothing was found, 2 that the search failed.`,
		Example: "  agent sessions search connection refused path:client.go\n  agent sessions search --json after:2026-11-01 tool:run_shell_command migrate -staging",
		RunE: func(cmd *cobra.Command, args []string) error {
			return search(cmd, w, o, args)
		},
	}
	cmd.Flags().SetInterspersed(false) // a word that begins with - is not a flag
	cmd.Flags().BoolVar(&o.all, "all", false, "search the sessions of every folder")
	cmd.Flags().BoolVar(&o.other, "other", false, "search the sessions of other coding agents on this machine")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

func search(cmd *cobra.Command, w world, o searchFlags, args []string) error {
	args = slices.DeleteFunc(args, func(arg string) bool { // a flag after the words is treated as a flag, not as a word
		flag := map[string]*bool{"--all": &o.all, "--other": &o.other, "--json": &o.json}[arg]
		if flag != nil {
			*flag = true
		}
		return flag != nil
	})
	f, err := w.process.Folders()
	if err != nil {
		return err
	}
	here, err := filepath.EvalSymlinks(w.process.Dir)
	if err != nil {
		return err
	}
	finder, query := f.Finder(here, w.process.Now), strings.Join(args, " ")
	if _, err := sessionsearch.ParseQuery(query, w.process.Now()); err != nil {
		return usage(err)
	}
	progress, finish := w.searchProgress()
	finder.Progress = progress
	look := finder.Search
	if o.other {
		look = finder.SearchOthers(logs.Find(w.process.Home, w.process.Env, func(path string, err error) {
			w.process.Say(fmt.Sprintf("can't read %s: %v", path, fsutil.Reason(err)))
		}))
	}
	hits, remarks, err := look(cmd.Context(), query, o.all)
	finish()
	if err != nil && cmd.Context().Err() == nil {
		return usage(err) // exit status 1 means that nothing was found
	}
	if err != nil {
		return err
	}
	if o.json {
		err = rawjson.WriteIndented(w.out, foundJSON(hits))
	} else {
		err = errors.Join(w.print(slash.FoundLines(hits, w.process.Now())...), w.tell(remarks...))
	}
	if err == nil && len(hits) == 0 {
		if !o.json && !o.all {
			_ = w.tell("nothing found in this repository. To search all folders, add --all")
		}
		return statusError(exitFailed)
	}
	return err
}

// progressDelay is the time after which a search shows its progress.
const progressDelay = 200 * time.Millisecond

// searchProgress returns a function that shows on a terminal how much a search has read. finish removes the
// line.
func (w world) searchProgress() (show func(read, all int64), finish func()) {
	if !term.IsTerminal(int(w.stderr.Fd())) {
		return nil, func() {}
	}
	begin, shown := w.process.Now(), false
	show = func(read, all int64) {
		if w.process.Now().Sub(begin) >= progressDelay {
			shown = true
			fmt.Fprintf(w.stderr, "\r\x1b[Ksearched %s of %s", humanize.Bytes(read), humanize.Bytes(all))
		}
	}
	return show, func() {
		if shown {
			fmt.Fprint(w.stderr, "\r\x1b[K")
		}
	}
}

// foundEntry is an entry that was found, in JSON.
type foundEntry struct {
	Session string    `json:"session"`
	Agent   string    `json:"agent,omitempty"`
	Entry   uint64    `json:"entry"`
	Time    time.Time `json:"time"`
	Kind    string    `json:"kind"`
	// Path is the file that the call named, or "" for none.
	Path  string `json:"path,omitempty"`
	Text  string `json:"text"`
	Score int    `json:"score"`
}

func foundJSON(hits []sessionsearch.Hit) []foundEntry {
	list := []foundEntry{}
	for _, h := range hits {
		list = append(list, foundEntry{h.Session, h.Agent, h.Entry, h.Time, h.Kind, strings.Join(h.Paths[:min(1, len(h.Paths))], ""), h.Text, h.Score})
	}
	return list
}
