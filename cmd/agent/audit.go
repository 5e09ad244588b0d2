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
	cmd := sessionCommand(w, "audit NAME", "List files, commands, hosts and approvals of a session; verify its log", func(_ app.Folders, info session.Info) error {
		report, err := audit.ReadReport(info.Path)
		if err != nil {
			return err
		}
		if asJSON {
			err = rawjson.WriteIndented(w.out, report)
		} else {
			err = report.Print(w.out)
		}
		if err == nil && !report.Unchanged() {
			err = errors.New("the session log was changed after it was written")
		}
		return err
	})
	cmd.Long = `Prints Markdown, or JSON with --json. For the session and its subagents it lists each file
read (hash, lines shown) or written (hash before and after), each command (sandbox, exit
status), each host, and each decision (who, answer, rule). It includes branches that a
rewind left.

Each line of the log has the hash of the line before it. The audit names lines that were
changed, removed or inserted later, and exits with status 1. It also reports a subagent's
log that is missing, truncated, or from another session. It can't detect that a session
log was truncated, or rewritten from some line to its end. Logs of older versions have no
hashes; the audit says so.`
	cmd.Example = "  agent sessions audit qecgs\n  agent sessions audit qecgs --json > audit.json"
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
