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
	cmd = sessionCommand(w, "share NAME", "Write a session as HTML page, or as JSON for bug reports", func(_ app.Folders, info session.Info) error {
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
			return usage(errors.New("nothing was written. Check the replacements above, then add --yes"))
		default:
			if agreed, err := ask(cmd.Context(), "Secrets of other kinds are not detected; read the file before you send it. Write "+out+"?"); err != nil || !agreed {
				return err
			}
		}
		err = fsutil.CreateNew(w.process.Path(out), text, 0o600)
		if errors.Is(err, fs.ErrExist) {
			return usage(fmt.Errorf("can't write %s: it exists. Choose another name with --out", out))
		}
		if err != nil {
			return fmt.Errorf("can't write %s: %w", out, fsutil.Reason(err))
		}
		return w.print("written to " + out)
	})
	cmd.Long = `The format html is one page without scripts or external files. It contains every message, call
and result of the session. The format document is for bug reports: agent context can replay
it. Known keys and passwords are replaced, and so is the path of your home folder. You see
the replacements before anything is written. Images are not changed.`
	cmd.Example = `  agent sessions share 20261128-070504-qecgs
  agent sessions share qecgs --yes --out talk.html
  agent sessions share qecgs --format document --yes`
	cmd.Flags().StringVar(&out, "out", "", "write to the new `FILE` (default session-ID.html or .json)")
	cmd.Flags().StringVar(&format, "format", "html", "the `FORMAT`: html or document")
	cmd.Flags().BoolVar(&context, "context", false, contextUsage)
	cmd.Flags().BoolVar(&yes, "yes", false, "write without asking")
	return cmd
}

// spoken returns the recorded conversation of a session. If context is set, it returns only the content in
// the context of the model.
func spoken(info session.Info, in offline.Input, context bool) (c *share.Conversation, err error) {
	c = &share.Conversation{Title: info.Title, Traits: tools.NewRegistry(append(tools.Default(), tools.RememberTool())...).Traits}
	if context {
		c.Passages = history.Passages(in.History)
		return c, nil
	}
	c.Passages, err = session.ReadConversation(info.Path)
	return c, err
}

// contextUsage is the help text of the flag --context.
const contextUsage = "export only the current context, without pruned, compressed or cleared content"

// shareFormats maps each format to the ending of its files.
var shareFormats = map[string]string{"html": ".html", "document": ".json"}

// shared returns a conversation in an export format, and the replacements made in it.
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
		counter := tokens.NewCounter(tokens.EncodingFor(""))
		document, err := share.NewDocument(w.process.Home, in.WorkspaceRoot, in.History, counter.Count)
		if err != nil {
			return nil, share.Replacements{}, err
		}
		return document.JSON, document.Replacements, nil
	}
	return nil, share.Replacements{}, usage(fmt.Errorf("unknown --format %s; use html or document", format))
}
