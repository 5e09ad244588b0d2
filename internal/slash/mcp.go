package slash

import (
	"context"
	"errors"

	"agent/internal/command"
	"agent/internal/words"
)

// Servers are the MCP servers of a session.
type Servers interface {
	// ServerLines lists them, a line each; ServerLine says all of one.
	ServerLines() []string
	// ServerPick lists them for a screen, with what keys do; nil without any.
	ServerPick() *command.Pick
	ServerLine(name string) ([]string, error)
	// ReloadServers connects to all of them again; the lines say what that costs.
	ReloadServers(ctx context.Context) ([]string, error)
	// ServerLog is the end of what one has written.
	ServerLog(name string) ([]string, error)
}

func mcpCommand(d Deps) command.Command {
	return command.Command{
		Name: "mcp", MaxArgs: 2,
		Help: "the MCP servers and their tools",
		Usage: []command.Form{
			{Does: "list them; on the screen, keys switch one on and off, reconnect it or log in"},
			{Args: "NAME", Does: "say all that is known of one"},
			{Args: "NAME log", Does: "show what one has written"},
			{Args: "reload", Does: "read the configuration again, connect, and offer what there is then"},
		},
		Run: func(ctx context.Context, args []string) (command.Output, error) {
			lines, err := runMCP(ctx, d.Servers, args)
			out := command.Output{Lines: lines}
			if err == nil && len(args) == 0 {
				out.Pick = d.Servers.ServerPick()
			}
			return out, err
		},
		Complete: func(args []string) []command.Completion {
			if len(args) > 0 {
				return nil
			}
			return []command.Completion{{Value: "reload", Help: "connect again"}}
		},
	}
}

func runMCP(ctx context.Context, servers Servers, args []string) ([]string, error) {
	switch {
	case servers == nil:
		return nil, errors.New("there are no servers here")
	case len(args) == 0:
		lines := servers.ServerLines()
		if len(lines) == 0 {
			lines = []string{"There are no MCP servers. agent mcp add NAME -- COMMAND adds one; /mcp reload uses it then."}
		}
		return lines, nil
	case args[0] == "reload" && len(args) == 1:
		return servers.ReloadServers(ctx)
	case len(args) == 1:
		return servers.ServerLine(args[0])
	case args[1] == "log":
		return servers.ServerLog(args[0])
	}
	return nil, errors.New("type /mcp, /mcp NAME, /mcp NAME log or /mcp reload, not " + words.Line(args[1], 40))
}
