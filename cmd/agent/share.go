package main

import (
	"errors"
	"fmt"
	"io/fs"

	"agent/internal/app"
	"agent/internal/disk"
	"agent/internal/session"
	"agent/internal/share"

	"github.com/spf13/cobra"
)

func newSessionsShare(w world) *cobra.Command {
	var out string
	var yes bool
	var cmd *cobra.Command
	cmd = sessionCommand(w, "share NAME", "Write a session's current conversation as one HTML page for other people", func(_ app.Folders, info session.Info) error {
		in, err := readInput(w, info.Path)
		if err != nil {
			return err
		}
		page := share.New(info.Title, w.Home, in.History)
		for _, line := range page.Report() {
			fmt.Fprintln(w.people, line)
		}
		if out == "" {
			out = "session-" + info.ID + ".html"
		}
		ask := askOnTerminal(w)
		switch {
		case yes:
		case ask == nil:
			return usage(errors.New("nothing is written: read what is replaced, and give --yes"))
		default:
			if agreed, err := ask(cmd.Context(), "Read the page before you send it: a secret of another form is not known. Write "+out+"?"); err != nil || !agreed {
				return err
			}
		}
		err = disk.CreateNew(w.Path(out), []byte(page.HTML), 0o600)
		if errors.Is(err, fs.ErrExist) {
			return usage(fmt.Errorf("%s exists and is left as it is; give another name with --out", out))
		}
		if err != nil {
			return fmt.Errorf("the page cannot be written to %s: %w", out, disk.Reason(err))
		}
		return w.print("written to " + out)
	})
	cmd.Long = `One file without scripts, which loads nothing, light and dark, for a browser, a
phone or paper. Keys and passwords that are recognised are replaced, and the path
of your home folder is ~. What is replaced is shown before anything is written.`
	cmd.Example = `  agent sessions share 20261128-070504-qecgs
  agent sessions share qecgs --yes --out talk.html`
	cmd.Flags().StringVar(&out, "out", "", "the file, which must not exist (default session-ID.html)")
	cmd.Flags().BoolVar(&yes, "yes", false, "write it without asking")
	return cmd
}
