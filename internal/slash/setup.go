package slash

import (
	"context"
	"fmt"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/base/table"
	"agent/internal/command"
)

// listCommand returns a command that shows a list, or the text none if the list is empty.
func listCommand(name, help string, lines func() []string, none string, aliases ...string) command.Command {
	return command.Command{
		Name: name, Help: help, Aliases: aliases,
		Forms: plain(func(context.Context) (command.Output, error) {
			list := lines()
			if len(list) == 0 {
				list = []string{none}
			}
			return command.Output{Lines: list}, nil
		}),
	}
}

func toolsCommand(d Deps) command.Command {
	return listCommand("tools", "list the tools of the model", func() []string {
		var rows [][]string
		for _, tool := range d.Tools() {
			rows = append(rows, []string{tool.Name, tool.Traits.String(), firstSentence(tool.Description)})
		}
		return table.Lines("lll", rows)
	}, "No tools.")
}

// firstSentence returns the first sentence of a tool description. The rest is written for the
// model.
func firstSentence(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	text, _, _ = strings.Cut(text, ". ")
	return strings.TrimSuffix(text, ".")
}

func todoCommand(d Deps) command.Command {
	return listCommand("todo", "show the todo list of the model", d.Todos, "The todo list is empty. The model writes it.", "todos")
}

func instructionsCommand(d Deps) command.Command {
	return listCommand("instructions", "list the instruction files", d.Setup.Instructions,
		"No instruction files. To let the model write AGENTS.md, type /init.")
}

func skillsCommand(d Deps) command.Command {
	return listCommand("skills", "list the skills and where they are", d.Setup.Skills,
		"No skills. Put a folder with a SKILL.md into .agents/skills or .claude/skills, in the workspace or your home folder.")
}

func hooksCommand(d Deps) command.Command {
	return listCommand("hooks", "list the hooks and their runs", d.Setup.Hooks,
		"No hooks. Write them in hooks.json of your configuration folder, or in .agents/hooks.json or .claude/settings.json of a project.")
}

// Trust provides the items of the repository that need consent to be run, connected to or allowed, and the
// user's decisions.
type Trust interface {
	// Describe lists the items that need consent, one per line.
	Describe() ([]string, error)
	// Answer records a yes or no about the named items, or about all unanswered items if none is named.
	Answer(yes bool, names ...string) ([]string, error)
	Forget() ([]string, error)
}

func trustCommand(d Deps) command.Command {
	answer := func(yes bool) command.RunFunc {
		return command.ShowLines(func(_ context.Context, names []string) ([]string, error) { return d.Trust.Answer(yes, names...) })
	}
	return command.Command{
		Name: "trust", Help: "approve configuration of the repository",
		Forms: []command.Form{
			{Does: "list the configuration that needs approval", Run: command.ShowLines(func(context.Context, []string) ([]string, error) { return d.Trust.Describe() })},
			{Args: "yes [ITEM…]", Rest: true, Does: "approve the named items, or all pending ones", Run: answer(true)},
			{Args: "no [ITEM…]", Rest: true, Does: "deny the named items, or all pending ones", Run: answer(false)},
			{Args: "forget", Does: "delete your answers", Run: command.ShowLines(func(context.Context, []string) ([]string, error) { return d.Trust.Forget() })},
		},
	}
}

// Servers provides the MCP servers of a session.
type Servers interface {
	// ServerLines lists the servers, a line each.
	ServerLines() []string
	// ServerChoiceList returns the list of servers for a screen, with its key actions. It is nil if there are
	// none.
	ServerChoiceList() *command.ChoiceList
	// ServerLine describes one server completely.
	ServerLine(name string) ([]string, error)
	// ReloadServers connects to all servers again. others reports whether the offered tools have changed.
	ReloadServers(ctx context.Context) (lines []string, others bool, err error)
	// ServerLog returns the last output lines of one server.
	ServerLog(name string) ([]string, error)
}

func serversCommand(d Deps) command.Command {
	return listCommand("servers", "list running language servers", d.Setup.LanguageServers,
		"No language server is running. The first call of the symbol tool starts one. To see which are installed, run: agent doctor")
}

func mcpCommand(d Deps) command.Command {
	return command.Command{
		Name: "mcp", Help: "list MCP servers and their tools",
		Forms: []command.Form{
			{Does: "list the servers; keys turn a server on or off, reconnect it or log in to it", Run: func(context.Context, []string) (command.Output, error) {
				lines := d.Servers.ServerLines()
				if len(lines) == 0 {
					lines = []string{"No MCP servers. To add one, run: agent mcp add NAME -- COMMAND. Then type /mcp reload."}
				}
				return command.Output{Lines: lines, Pick: d.Servers.ServerChoiceList()}, nil
			}},
			{Args: "NAME", Does: "show the details of a server", Run: showOne(func(_ context.Context, name string) ([]string, error) {
				return d.Servers.ServerLine(name)
			})},
			{Args: "NAME log", Does: "show the log output of a server", Run: showOne(func(_ context.Context, name string) ([]string, error) {
				return d.Servers.ServerLog(name)
			})},
			{Args: "reload", Does: "read the configuration again and reconnect", Run: command.ShowLines(func(ctx context.Context, _ []string) ([]string, error) {
				lines, others, err := d.Servers.ReloadServers(ctx)
				switch {
				case err != nil:
					return nil, err
				case !others:
					return append(lines, "The tools of the servers are unchanged. The provider's cache stays valid."), nil
				}
				usage, err := d.Context.ContextUsage(ctx)
				if err != nil {
					return nil, err
				}
				return append(lines, fmt.Sprintf("The tools have changed, so the provider's cache is lost: the next request sends all %s again.", humanize.Count(usage.Total(), "token"))), nil
			})},
		},
	}
}
