package main

import (
	"errors"

	"agent/internal/app"
	"agent/internal/audit"
	"agent/internal/base/rawjson"
	"agent/internal/session"

	"github.com/spf13/cobra"
)

func newSessionsAudit(w world) *cobra.Command {
	var asJSON bool
	cmd := sessionCommand(w, "audit NAME", "List what a session read, wrote, ran, reached and asked, and whether its record was changed", func(_ app.Folders, info session.Info) error {
		report, err := audit.Of(info.Path)
		if err != nil {
			return err
		}
		if asJSON {
			err = rawjson.WriteIndented(w.out, report)
		} else {
			err = report.Print(w.out)
		}
		if err == nil && !report.Whole() {
			err = errors.New("the record was changed after it was written")
		}
		return err
	})
	cmd.Long = `Markdown, or JSON: each file that was read (its hash, the lines that were shown) or
written (hash before and after), each command (its confinement and exit status), each
host, each decision (by whom, the answer, the rule), of the session and its agents.
Branches that a rewind left are listed too. Each line of the record has the hash of the
one before: a line that was changed, removed or put in later is named, and the exit
status is 1. So is an agent whose record is missing, belongs to another agent, or lacks
the end that the session has the hash of, and a record of an agent that the session did
not begin. A record of a session that was written anew from there on, or cut at its end,
is not noticed. Records of older versions have no hashes, and say so.`
	cmd.Example = "  agent sessions audit qecgs\n  agent sessions audit qecgs --json > audit.json"
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
