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
	cmd := sessionCommand(w, "cache NAME", "List the cache misses of a session, with causes and costs", func(_ app.Folders, info session.Info) error {
		state, err := session.Open(info.Path)
		if err != nil {
			return err
		}
		breaks, err := chat.CacheMissesIn(state)
		if err != nil {
			return err
		}
		if asJSON {
			return rawjson.WriteIndented(w.out, append([]cachemiss.Miss{}, breaks...))
		}
		return w.print(cachemiss.DescribeMisses(breaks)...)
	})
	cmd.Long = `A cache miss is a request that read less from the provider's cache than it could have.
For each one the list names the first change before it: pruning, a compression, the
instructions, the clock, the tools or the model. If nothing changed, the cache had expired
or the provider did not find it. In a session, /stats cache shows the same list.`
	cmd.Example = "  agent sessions cache qecgs\n  agent sessions cache qecgs --json"
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
