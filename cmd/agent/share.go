package main

import (
	"errors"
	"fmt"
	"io/fs"

	"agent/internal/app"
	"agent/internal/base/fsutil"
	"agent/internal/history"
	"agent/internal/offline"
	"agent/internal/session"
	"agent/internal/share"
	"agent/internal/tokens"
	"agent/internal/tools"

	"github.com/spf13/cobra"
)

func newSessionsShare(w world) *cobra.Command {
	var out, format string
	var yes, context bool
	var cmd *cobra.Command
	cmd = sessionCommand(w, "share NAME", "Write a session's conversation as one HTML page for other people, or as a document for a bug report", func(_ app.Folders, info session.Info) error {
		in, err := readInput(w, info.Path)
		if err != nil {
			return err
		}
		text, replaced, err := shared(w, format, info, in, context)
		if err != nil {
			return err
		}
		for _, line := range replaced.Report() {
			fmt.Fprintln(w.people, line)
		}
		if out == "" {
			out = "session-" + info.ID + shareFormats[format]
		}
		ask := askOnTerminal(w)
		switch {
		case yes:
		case ask == nil:
			return usage(errors.New("nothing is written: read what is replaced, and give --yes"))
		default:
			if agreed, err := ask(cmd.Context(), "Read it before you send it: a secret of another form is not known. Write "+out+"?"); err != nil || !agreed {
				return err
			}
		}
		err = fsutil.CreateNew(w.process.Path(out), text, 0o600)
		if errors.Is(err, fs.ErrExist) {
			return usage(fmt.Errorf("%s exists and is left as it is; give another name with --out", out))
		}
		if err != nil {
			return fmt.Errorf("%s cannot be written: %w", out, fsutil.Reason(err))
		}
		return w.print("written to " + out)
	})
	cmd.Long = `html is one file without scripts, which loads nothing, light and dark, for a browser, a
phone or paper. It holds every message, call and answer of the record. document is what agent context reads, for the report of a bug: a replay
of it prunes the same entries. Keys and passwords that are recognised are replaced, and
the path of your home folder; in a document by text of as many tokens. What is replaced
is shown before anything is written. Images stay as they are.`
	cmd.Example = `  agent sessions share 20261128-070504-qecgs
  agent sessions share qecgs --yes --out talk.html
  agent sessions share qecgs --format document --yes`
	cmd.Flags().StringVar(&out, "out", "", "the file, which must not exist (default session-ID.html or .json)")
	cmd.Flags().StringVar(&format, "format", "html", "html or document")
	cmd.Flags().BoolVar(&context, "context", false, contextUsage)
	cmd.Flags().BoolVar(&yes, "yes", false, "write it without asking")
	return cmd
}

// spoken returns the conversation of a session as it was recorded, or with context what is in the
// context of the model.
func spoken(info session.Info, in offline.Input, context bool) (c *share.Conversation, err error) {
	c = &share.Conversation{Title: info.Title, Traits: tools.NewRegistry(append(tools.Default(), tools.Remember())...).Traits}
	if context {
		c.Passages = history.Passages(in.History)
		return c, nil
	}
	c.Passages, err = session.Conversation(info.Path)
	return c, err
}

// contextUsage explains the flag --context.
const contextUsage = "what is in the model's context, without what was pruned, compressed or cleared"

// shareFormats maps each format to the ending of its files.
var shareFormats = map[string]string{"html": ".html", "document": ".json"}

// shared returns a conversation in a format for other people, and what was replaced in it.
func shared(w world, format string, info session.Info, in offline.Input, context bool) ([]byte, share.Replacements, error) {
	switch format {
	case "html":
		said, err := spoken(info, in, context)
		if err != nil {
			return nil, share.Replacements{}, err
		}
		page := share.New(said, w.process.Home)
		return []byte(page.HTML), page.Replacements, nil
	case "document":
		counter := tokens.For(tokens.EncodingFor(""))
		document, err := share.NewDocument(w.process.Home, in.WorkspaceRoot, in.History, counter.Count)
		if err != nil {
			return nil, share.Replacements{}, err
		}
		return document.JSON, document.Replacements, nil
	}
	return nil, share.Replacements{}, usage(fmt.Errorf("--format %s is not known: html or document", format))
}
