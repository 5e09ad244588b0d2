package command

import (
	"context"
	"errors"

	"agent/internal/words"
)

// Servers are the MCP servers of a session.
type Servers interface {
	// ServerLines lists them, a line each; ServerLine says all of one.
	ServerLines() []string
	ServerLine(name string) ([]string, error)
	// ReloadServers connects to all of them again; the lines say what that costs.
	ReloadServers(ctx context.Context) ([]string, error)
	// ServerLog is the end of what one has written.
	ServerLog(name string) ([]string, error)
}

func (c *Commands) mcpCommand() Command {
	return Command{
		Name: "mcp", MaxArgs: 2,
		Help: "the MCP servers and their tools",
		Usage: []Form{
			{Does: "list them"},
			{Args: "NAME", Does: "say all that is known of one"},
			{Args: "NAME log", Does: "show what one has written"},
			{Args: "reload", Does: "read the configuration again, connect, and offer what there is then"},
		},
		Run: func(ctx context.Context, args []string) (Output, error) {
			lines, err := c.mcp(ctx, args)
			return Output{Lines: lines}, err
		},
		Complete: func(args []string) []Completion {
			if len(args) > 0 {
				return nil
			}
			return []Completion{{Value: "reload", Help: "connect again"}}
		},
	}
}

func (c *Commands) mcp(ctx context.Context, args []string) ([]string, error) {
	servers := c.deps.Servers
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
