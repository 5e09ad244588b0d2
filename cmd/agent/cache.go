package main

import (
	"agent/internal/app"
	"agent/internal/base/rawjson"
	"agent/internal/chat"
	"agent/internal/chat/cachemiss"
	"agent/internal/session"

	"github.com/spf13/cobra"
)

func newSessionsCache(w world) *cobra.Command {
	var asJSON bool
	cmd := sessionCommand(w, "cache NAME", "List the requests of a session that read less from the provider's cache than they could have, and why", func(_ app.Folders, info session.Info) error {
		state, err := session.Open(info.Path)
		if err != nil {
			return err
		}
		breaks, err := chat.CacheBreaksIn(state)
		if err != nil {
			return err
		}
		if asJSON {
			return rawjson.WriteIndented(w.out, append([]cachemiss.Break{}, breaks...))
		}
		return w.print(cachemiss.Lines(breaks)...)
	})
	cmd.Long = `For each such request it says what changed first: our pruning, a compression, the
instructions, the clock, the tools, another model, or nothing, where the life of the
cache had run out or the provider did not find it; and what that cost. It works on
sessions since the program notes this. In a session, /stats cache shows the same.`
	cmd.Example = "  agent sessions cache qecgs\n  agent sessions cache qecgs --json"
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
