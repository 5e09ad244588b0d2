package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"agent/internal/base/arguments"
	"agent/internal/base/humanize"
	"agent/internal/extend/mcp/catalogue"
	"agent/internal/tools"
)

// mostDefinitions is the greatest number of complete definitions in a search result.
const mostDefinitions = 5

type findArgs struct {
	Query  string `json:"query"`
	Server string `json:"server"`
}

// planFind plans a search. It does not connect to servers.
func (b *Bridge) planFind(ctx context.Context, env *tools.Env, given arguments.Arguments) (tools.Plan, error) {
	var args findArgs
	if err := json.Unmarshal(given.Raw(), &args); err != nil {
		return tools.Plan{}, errors.New("mcp_find takes the strings query and server")
	}
	if args.Server != "" {
		if _, _, err := b.usable(ctx, args.Server); err != nil && !errors.Is(err, errStarting) {
			return tools.Plan{}, err
		}
	}
	return tools.Plan{Apply: func(ctx context.Context) tools.Answer { return b.find(ctx, env, args) }}, nil
}

// find searches the tools of servers. It waits for pending servers for a limited time.
func (b *Bridge) find(ctx context.Context, env *tools.Env, args findArgs) tools.Answer {
	b.settles(ctx, startPatience)
	entries, instructions, notes := b.entries(args.Server)
	matching := catalogue.Find(entries, args.Query)
	if len(matching) == 0 {
		notes = append(notes, "No tool matches. Search for words of a tool's name or description. The tools: "+names(entries))
	}
	room := env.Limits.OutputBytes()
	var parts []string
	said := map[string]bool{}
	for i, e := range matching {
		if i == mostDefinitions || i > 0 && room < len(e.Definition()) {
			parts = append(parts, "More that match: "+names(matching[i:]))
			break
		}
		if words := instructions[e.Server]; words != "" && !said[e.Server] {
			said[e.Server] = true
			parts = append(parts, fmt.Sprintf("Server %s describes itself: %s", e.Server, words))
		}
		parts = append(parts, e.Definition())
		room -= len(e.Definition())
	}
	parts = append(parts, notes...)
	return tools.Answer{Text: strings.Join(parts, "\n\n"), Summary: humanize.Count(len(matching), "tool")}
}

// entries returns the tools of one server, or of all servers if server is empty. It also returns
// the instructions of the servers, and notes about servers that cannot be used.
func (b *Bridge) entries(server string) (all []catalogue.Entry, instructions map[string]string, notes []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	instructions = map[string]string{}
	for _, st := range b.states {
		switch {
		case st.Unused != "" || server != "" && st.Configured.Name != server:
		case st.pending:
			notes = append(notes, st.Configured.Name+" is still starting.")
		case !st.known.WasConnected():
			notes = append(notes, st.Configured.Name+" cannot be used: "+st.known.Failed)
		default:
			instructions[st.Configured.Name] = st.known.Instructions
			for _, t := range st.known.Tools {
				all = append(all, catalogue.Entry{Server: st.Configured.Name, Tool: t})
			}
		}
	}
	return all, instructions, notes
}

func names(entries []catalogue.Entry) string {
	var all []string
	for _, e := range entries {
		all = append(all, e.Server+"/"+e.Shown)
	}
	if len(all) == 0 {
		return "none"
	}
	return someOf(all)
}
