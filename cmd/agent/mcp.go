package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"agent/internal/app"
	"agent/internal/app/mcphost"
	"agent/internal/base/humanize"
	"agent/internal/base/rawjson"
	"agent/internal/base/suggest"
	"agent/internal/base/table"
	"agent/internal/extend/mcp"
	"agent/internal/extend/mcp/bridge"
	"agent/internal/extend/setup/servers"
	"agent/internal/frontend/cli"
	"agent/internal/settings"

	"github.com/spf13/cobra"
)

func newMCP(w world) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Show, test, add and remove MCP servers, and log in to them",
		Long: `MCP servers give the model more tools. agent reads them from mcp.json in the configuration
folder, and from .mcp.json in the workspace and its repository. Servers of a repository
need your approval (agent trust). To import servers of other coding agents, run: agent import`,
		Args: cli.ExactArgs(0, "a command: list, get, test, add, remove, enable, disable, login or logout"),
		RunE: func(*cobra.Command, []string) error { return listServers(w, false) },
	}
	cmd.AddCommand(newMCPList(w), newMCPGet(w), newMCPTest(w), newMCPAdd(w),
		editServer(w, "remove", "Remove a server from its configuration file", "is removed from", servers.Remove),
		editServer(w, "enable", "Enable a server in its configuration file", "is enabled in", func(file, name string) error { return servers.SetDisabled(file, name, false) }),
		editServer(w, "disable", "Disable a server in its configuration file", "is disabled in", func(file, name string) error { return servers.SetDisabled(file, name, true) }),
		newMCPLogin(w), newMCPLogout(w))
	return cmd
}

// knownServers holds the configured servers together with the folders and settings they depend
// on.
type knownServers struct {
	configured *mcphost.ConfiguredServers
	folders    app.Folders
	settings   *settings.Settings
}

// configuredServers returns the servers of the current folder, with the user's decisions about the servers
// of the repository.
func configuredServers(w world) (known knownServers, err error) {
	if known.folders, known.settings, err = w.configured(settingsOptions{}); err != nil {
		return known, err
	}
	if w.process.Dir == "" {
		return known, errors.New("the current folder was deleted; change to another")
	}
	if known.configured, err = w.process.Servers(known.folders, w.process.Dir, app.Options{}); err == nil {
		known.configured.Trust = w.process.Trust(known.folders, known.settings, w.process.Dir)
	}
	return known, err
}

func namedServer(w world, name string) (knownServers, *servers.Server, error) {
	found, err := configuredServers(w)
	if err != nil {
		return found, nil, err
	}
	if s := found.configured.ByName(name); s != nil {
		return found, s, nil
	}
	if why := found.configured.Invalid[name]; why != "" {
		return found, nil, fmt.Errorf("server %s is not used: %s", name, why)
	}
	var names []string
	for _, s := range found.configured.Servers {
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		return found, nil, fmt.Errorf("unknown server %q; no servers are configured. Run: agent mcp add NAME -- COMMAND", name)
	}
	return found, nil, fmt.Errorf("unknown server %q%s; servers: %s", name, suggest.Question(name, names), strings.Join(names, ", "))
}

func newMCPList(w world) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the servers without starting them",
		Args: cli.ExactArgs(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error { return listServers(w, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// serverEntry is a server in the JSON of agent mcp list.
type serverEntry struct {
	Name     string   `json:"name"`
	Origin   string   `json:"origin"`
	File     string   `json:"file,omitempty"`
	State    string   `json:"state"`
	Reason   string   `json:"reason,omitempty"`
	Protocol string   `json:"protocol,omitempty"`
	Tools    []string `json:"tools"`
	// Tokens counts the tokens of all tool definitions; Offered is "direct" or "search".
	Tokens  int    `json:"tokens"`
	Offered string `json:"offered"`
}

func entryOf(s bridge.Status) serverEntry {
	e := serverEntry{
		Name: s.Configured.Name, Origin: string(s.Configured.Origin), File: s.Configured.File, State: string(s.State), Reason: s.Reason,
		Protocol: s.Known.Protocol, Tools: []string{}, Tokens: s.Known.Tokens(), Offered: "search",
	}
	if s.OfferedDirectly {
		e.Offered = "direct"
	}
	for _, t := range s.Known.Tools {
		e.Tools = append(e.Tools, t.Shown)
	}
	return e
}

func listServers(w world, asJSON bool) error {
	found, err := configuredServers(w)
	if err != nil {
		return err
	}
	status := found.configured.Status(found.settings)
	if asJSON {
		entries := []serverEntry{}
		for _, st := range status {
			entries = append(entries, entryOf(st))
		}
		return rawjson.WriteIndented(w.out, map[string]any{"servers": entries, "problems": append([]string{}, found.configured.Problems...), "notes": append([]string{}, found.configured.Notes...)})
	}
	rows := [][]string{}
	for _, st := range status {
		rows = append(rows, []string{st.Configured.Name, st.Source(), st.Summary()})
	}
	lines := table.Lines("lll", rows)
	if len(status) == 0 {
		lines = append(lines, "No servers. Add one: agent mcp add NAME -- COMMAND")
	}
	lines = append(append(lines, found.configured.Problems...), found.configured.Notes...)
	return printLines(w, lines)
}

func serverCommand(w world, name, short string, run func(ctx context.Context, found knownServers, server *servers.Server) error) *cobra.Command {
	return &cobra.Command{
		Use: name + " NAME", Short: short,
		Args: cli.ExactArgs(1, "the name of a server"),
		RunE: func(cmd *cobra.Command, args []string) error {
			found, server, err := namedServer(w, args[0])
			if err != nil {
				return err
			}
			return run(cmd.Context(), found, server)
		},
	}
}

func newMCPGet(w world) *cobra.Command {
	return serverCommand(w, "get", "Show the details of a server without starting it", func(_ context.Context, found knownServers, server *servers.Server) error {
		for _, st := range found.configured.Status(found.settings) {
			if st.Configured.Name == server.Name {
				return printLines(w, st.Describe())
			}
		}
		return nil
	})
}

func newMCPTest(w world) *cobra.Command {
	return &cobra.Command{
		Use: "test NAME [TOOL [JSON]]", Short: "Connect to a server and list its tools, or call one",
		Args: cli.CountedArgs(1, 3, "the name of a server, then a tool and its arguments as JSON if you want to call one"),
		RunE: func(cmd *cobra.Command, args []string) error { return testServer(cmd.Context(), w, args) },
	}
}

func testServer(ctx context.Context, w world, args []string) error {
	found, server, err := namedServer(w, args[0])
	if err != nil {
		return err
	}
	started := w.process.Now()
	client, known, err := found.configured.Probe(ctx, server, mcp.Host{Version: w.process.Version, Roots: []string{w.process.Dir}, Logins: w.process.Logins(found.folders)})
	if err != nil {
		return err
	}
	defer client.Close()
	if len(args) > 1 {
		return callServer(ctx, w, client, args[1:])
	}
	lines := []string{fmt.Sprintf("%s answers: %s, protocol %s; listing its tools took %s", server.Name, known.Version, known.Protocol, humanize.Duration(w.process.Now().Sub(started)))}
	lines = append(lines, bridge.Describe(known)...)
	if first, count := client.InvalidLines(); count > 0 {
		lines = append(lines, "Ignored "+humanize.Count(count, "line")+" of its output (not protocol messages):")
		for _, line := range first {
			lines = append(lines, "  "+humanize.Line(line, 200))
		}
	}
	if log := strings.TrimSpace(client.Log()); log != "" {
		said := strings.Split(log, "\n")
		const most = 5
		lines = append(lines, "its last output:")
		for _, line := range said[max(0, len(said)-most):] {
			lines = append(lines, "  "+humanize.Line(line, 200))
		}
	}
	return printLines(w, lines)
}

// callServer calls a tool with the arguments that a user typed, and prints its result.
func callServer(ctx context.Context, w world, client *mcp.Client, args []string) error {
	arguments := json.RawMessage("{}")
	if len(args) > 1 {
		if arguments = json.RawMessage(args[1]); !json.Valid(arguments) {
			return usage(errors.New("the arguments of the tool are not valid JSON"))
		}
	}
	result, err := client.Call(ctx, args[0], arguments, nil)
	if err != nil {
		return err
	}
	var lines []string
	for _, block := range result.Blocks {
		if block.Kind == mcp.Text {
			lines = append(lines, strings.Split(block.Text, "\n")...)
		} else {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("[%s %s %s]", block.MIME, humanize.Bytes(int64(len(block.Data))), block.URI)))
		}
	}
	if len(result.Structured) > 0 {
		lines = append(lines, string(result.Structured))
	}
	if err := printLines(w, lines); err != nil {
		return err
	}
	if result.IsError {
		return statusError(exitFailed)
	}
	return nil
}
