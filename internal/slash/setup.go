package slash

import (
	"context"
	"fmt"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/base/table"
	"agent/internal/command"
)

// listCommand returns a command that shows a list, or the sentence none if the list is empty.
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
	}, "There are no tools.")
}

// firstSentence returns the first sentence of a tool description. The rest is written for the
// model.
func firstSentence(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	text, _, _ = strings.Cut(text, ". ")
	return strings.TrimSuffix(text, ".")
}

func todoCommand(d Deps) command.Command {
	return listCommand("todo", "show the todo list of the model", d.Todos, "The todo list is empty; the model writes it.", "todos")
}

func instructionsCommand(d Deps) command.Command {
	return listCommand("instructions", "list the instruction files", d.Setup.Instructions,
		"There are no instructions; /init lets the model write AGENTS.md.")
}

func skillsCommand(d Deps) command.Command {
	return listCommand("skills", "list the skills and where they are", d.Setup.Skills,
		"There are no skills. A skill is a folder with a file SKILL.md, in .agents/skills or .claude/skills of the workspace or of your home folder.")
}

func hooksCommand(d Deps) command.Command {
	return listCommand("hooks", "list the hooks and their runs", d.Setup.Hooks,
		"There are no hooks. They are written in hooks.json of your configuration folder, or in .agents/hooks.json or .claude/settings.json of a project.")
}

// Trust holds the things of the repository that need consent to be run, connected to or allowed,
// and the person's answers.
type Trust interface {
	// Lines lists the things that need consent, a line each.
	Lines() ([]string, error)
	// Answer records a yes or no about the named items, or about all that wait.
	Answer(yes bool, names ...string) ([]string, error)
	Forget() ([]string, error)
}

func trustCommand(d Deps) command.Command {
	answer := func(yes bool) command.Run {
		return command.Say(func(_ context.Context, names []string) ([]string, error) { return d.Trust.Answer(yes, names...) })
	}
	return command.Command{
		Name: "trust", Help: "approve what the repository configures",
		Forms: []command.Form{
			{Does: "list it", Run: command.Say(func(context.Context, []string) ([]string, error) { return d.Trust.Lines() })},
			{Args: "yes [ITEM…]", Rest: true, Does: "agree to all that waits, or to items", Run: answer(true)},
			{Args: "no [ITEM…]", Rest: true, Does: "never use what waits, or items", Run: answer(false)},
			{Args: "forget", Does: "forget your answers", Run: command.Say(func(context.Context, []string) ([]string, error) { return d.Trust.Forget() })},
		},
	}
}

// Servers holds the MCP servers of a session.
type Servers interface {
	// ServerLines lists the servers, a line each.
	ServerLines() []string
	// ServerPick returns the list of servers for a screen, with its keys; nil if there are none.
	ServerPick() *command.Pick
	// ServerLine describes one server completely.
	ServerLine(name string) ([]string, error)
	// ReloadServers connects to all servers again, and reports whether they offer others than before.
	ReloadServers(ctx context.Context) (lines []string, others bool, err error)
	// ServerLog returns the end of the output of one server.
	ServerLog(name string) ([]string, error)
}

func serversCommand(d Deps) command.Command {
	return listCommand("servers", "list the language servers that run", d.Setup.LanguageServers,
		"No language server runs. The first call of symbol starts one; agent doctor names the ones that are installed.")
}

func mcpCommand(d Deps) command.Command {
	return command.Command{
		Name: "mcp", Help: "list MCP servers and their tools",
		Forms: []command.Form{
			{Does: "list them; on the screen, keys switch one on and off, reconnect it or log in", Run: func(context.Context, []string) (command.Output, error) {
				lines := d.Servers.ServerLines()
				if len(lines) == 0 {
					lines = []string{"There are no MCP servers. agent mcp add NAME -- COMMAND adds one; /mcp reload uses it then."}
				}
				return command.Output{Lines: lines, Pick: d.Servers.ServerPick()}, nil
			}},
			{Args: "NAME", Does: "say all that is known of one", Run: showOne(func(_ context.Context, name string) ([]string, error) {
				return d.Servers.ServerLine(name)
			})},
			{Args: "NAME log", Does: "show what one has written", Run: showOne(func(_ context.Context, name string) ([]string, error) {
				return d.Servers.ServerLog(name)
			})},
			{Args: "reload", Does: "read the configuration again, connect, and offer what there is then", Run: command.Say(func(ctx context.Context, _ []string) ([]string, error) {
				lines, others, err := d.Servers.ReloadServers(ctx)
				switch {
				case err != nil:
					return nil, err
				case !others:
					return append(lines, "What the servers offer is what it was; the provider's cache holds."), nil
				}
				usage, err := d.Context.ContextUsage(ctx)
				if err != nil {
					return nil, err
				}
				return append(lines, fmt.Sprintf("The next request sends all %s anew: the tools at its head have changed, so that the provider's cache does not hold.", humanize.Count(usage.Total(), "token"))), nil
			})},
		},
	}
}
