// Package mcphost manages the MCP servers of a conversation. It decides which of the configured servers are
// used, and offers their tools to the model. It passes the questions of the servers to the user, and reads
// their prompts and resources by name.
//
// Configured holds the servers of a workspace's configuration; commands outside of a conversation use it
// alone. Servers, which a conversation owns, connects to them.
package mcphost

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/base/suggest"
	"agent/internal/base/table"
	"agent/internal/extend/mcp"
	"agent/internal/extend/mcp/bridge"
	"agent/internal/extend/mcp/catalogue"
	"agent/internal/history"
	"agent/internal/settings"
	"agent/internal/tools"
)

// Config holds the dependencies of Servers.
type Config struct {
	// Version names the program to servers.
	Version string
	// Unattended is set if there is no user to answer questions.
	Unattended bool
	Settings   *settings.Settings
	Env        *tools.Env
	Logins     *mcp.Logins
	// Read reads the configuration.
	Read func() (*ConfiguredServers, error)
	// Window returns the size of the model's context window, in tokens.
	Window func() int
	// OnFreeze receives the offered tools whenever they change, and records them.
	OnFreeze func([]bridge.OfferedTool)
	// Did records that a program was started. Reached records that a host was reached. by is the name of
	// the server.
	Did     func(by string, did history.Effect)
	Reached func(by, host string)
	// Tell shows a line to the user, on the goroutine that runs the conversation.
	Tell func(line string)
	// Inquire asks the user questions. It returns false if the user does not answer.
	Inquire func(ctx context.Context, title string, inquiries []tools.Inquiry) ([]tools.InquiryAnswer, bool)
	// May returns an error if a rule or the policy of the machine forbids a prompt or resource of a server
	// that the user names.
	May func(served tools.ServerCall) error
	// Browse opens an address in the user's browser; nil if there is no browser.
	Browse func(ctx context.Context, address string)
}

// Servers connects a conversation to its MCP servers.
type Servers struct {
	Config
	// configured is the configuration with which the conversation began.
	configured *ConfiguredServers
	// current is nil while no servers are in use.
	current atomic.Pointer[generation]
}

// generation holds the servers of one read of the configuration. Reading it again creates a new generation,
// which replaces this one.
type generation struct {
	bridge     *bridge.Bridge
	configured *ConfiguredServers
	wires      *mcp.Set
	// life is the context of all work of the generation. end cancels it.
	life context.Context
	end  context.CancelFunc
	// number counts the generations of a conversation, from 1.
	number uint64
}

// fromCurrent returns a value of the current generation, or the zero value if there is none.
func fromCurrent[T any](s *Servers, ask func(g *generation) T) (answer T) {
	if g := s.current.Load(); g != nil {
		answer = ask(g)
	}
	return answer
}

func (g *generation) close() {
	g.end()
	g.bridge.Close()
	g.wires.Close()
}

// These constants limit how long the first request waits for servers whose tool offer is unknown.
const (
	patienceOnScreen = 3 * time.Second
	patienceOfScript = 10 * time.Second
)

// New starts to connect to the configured servers. Their tools can be called immediately. offered is the
// recorded list of the tools that a resumed session offered.
func New(config Config, configured *ConfiguredServers, offered json.RawMessage) *Servers {
	s := &Servers{Config: config, configured: configured}
	var recorded []bridge.OfferedTool
	if err := json.Unmarshal(offered, &recorded); err != nil {
		recorded = nil // without a usable record, the current tools are offered
	}
	if len(configured.Servers) == 0 && len(recorded) == 0 {
		return s
	}
	g := s.newGeneration(configured, 1)
	if len(recorded) > 0 {
		g.bridge.Restore(recorded)
	}
	s.current.Store(g)
	g.bridge.Start()
	return s
}

// Close closes all connections.
func (s *Servers) Close() error {
	if g := s.current.Swap(nil); g != nil {
		g.close()
	}
	return nil
}

func (s *Servers) newGeneration(configured *ConfiguredServers, number uint64) *generation {
	g := &generation{configured: configured, number: number}
	g.life, g.end = context.WithCancel(context.Background())
	var wires []mcp.Server
	for _, server := range configured.Servers {
		wires = append(wires, configured.ToMCPServer(server))
	}
	g.wires = mcp.NewSet(wires, mcp.Host{
		Version: s.Version, Roots: []string{configured.Workspace}, Ask: s.ask,
		Changed: func(server string) { g.bridge.OnServerChanged(server) },
		Logins:  s.Logins,
		Started: func(server mcp.Server) { s.Did("server "+server.Name, startOf(configured, server)) },
		Reached: func(server, host string) { s.Reached("server "+server, host) },
	})
	g.bridge = bridge.New(bridge.Config{
		Servers: configured.BridgeServers(),
		Connect: func(ctx context.Context, server string) (bridge.Connection, error) {
			client, err := g.wires.Client(ctx, server)
			if err != nil {
				return nil, err
			}
			return client, nil
		},
		Store:        configured.Catalogue,
		Window:       s.Window,
		Choice:       func() catalogue.OfferRule { return catalogue.OfferRule(settings.MCPTools.Value(s.Settings)) },
		ResultTokens: func() int { return settings.MCPResultMaxTokens.Value(s.Settings) },
		OnFreeze:     s.OnFreeze,
	})
	return g
}

// IsTool reports whether a tool with that name may belong to a server.
func IsTool(name string) bool {
	_, _, is := catalogue.SplitDirectName(name)
	return is || name == "mcp_find" || name == "mcp_call" || name == "mcp_read"
}

// Source returns the source of the servers' tools.
func (s *Servers) Source() tools.Source {
	return tools.Source{
		Revision: func() uint64 {
			return fromCurrent(s, func(g *generation) uint64 { return g.number<<32 + g.bridge.Source().Revision() })
		},
		List: func() []tools.Tool {
			return fromCurrent(s, func(g *generation) []tools.Tool { return g.bridge.Source().List() })
		},
	}
}

// OfferRevision returns a text that changes whenever the offered tools change, or "" without servers.
func (s *Servers) OfferRevision() string {
	return fromCurrent(s, func(g *generation) string { return fmt.Sprintf(" %d.%d", g.number, g.bridge.OfferRevision()) })
}

// WaitReady waits, before the first request, for servers whose tool offer is unknown. It shows the user which
// servers failed.
func (s *Servers) WaitReady(ctx context.Context) {
	g := s.current.Load()
	if g == nil || g.bridge.IsFrozen() {
		return
	}
	wait := patienceOnScreen
	if s.Unattended {
		wait = patienceOfScript
	}
	if pending := g.bridge.Pending(); len(pending) > 0 {
		s.Tell("waiting for " + strings.Join(pending, ", ") + " …")
	}
	if late := g.bridge.WaitReady(ctx, wait); len(late) > 0 {
		s.Tell(strings.Join(late, ", ") + ": still starting; their tools become available later")
	}
	for _, st := range g.bridge.Status() {
		if st.State == bridge.StateFailed {
			s.Tell("server " + st.Configured.Name + " is not used: " + st.Reason)
		}
	}
}

// Refreeze offers the currently known tools to the model.
func (s *Servers) Refreeze() {
	if g := s.current.Load(); g != nil {
		g.bridge.Refreeze()
	}
}

// Updates returns messages for the model about tools that were added or removed since the last call.
func (s *Servers) Updates() (blocks []history.Block) {
	for _, news := range fromCurrent(s, func(g *generation) []bridge.Update { return g.bridge.Updates() }) {
		text := &history.Text{Text: "[" + news.Line + "]", Source: history.SourceExtension}
		if len(news.Added)+len(news.Removed) > 0 {
			text.Tools = &history.ToolChange{Removed: news.Removed}
			for _, t := range news.Added {
				text.Tools.Added = append(text.Tools.Added, history.ToolDefinition(t))
			}
		}
		blocks = append(blocks, text)
	}
	return blocks
}

// StartApproved starts the servers that the user has approved since the last call.
func (s *Servers) StartApproved() {
	g := s.current.Load()
	if g == nil {
		return
	}
	for _, server := range g.configured.Servers {
		g.bridge.SetUnused(server.Name, g.configured.whyUnused(server))
	}
}

// ReloadServers reads the configuration again, connects to all servers and offers their current tools.
// others reports whether the offered tools have changed. It implements slash.Servers.
func (s *Servers) ReloadServers(ctx context.Context) (lines []string, others bool, err error) {
	configured, err := s.Read()
	if err != nil {
		return nil, false, err
	}
	before := s.current.Load()
	number := uint64(1)
	if before != nil {
		number = before.number + 1
	}
	g := s.newGeneration(configured, number)
	err = g.bridge.Reload(ctx)
	if ctx.Err() != nil {
		g.close()
		return nil, false, ctx.Err()
	}
	if old := s.current.Swap(g); old != nil {
		old.close()
	}
	lines = slices.Concat(configured.Problems, configured.Notes)
	if err != nil {
		lines = append(lines, strings.Split(err.Error(), "\n")...)
	}
	return lines, before == nil || !g.bridge.OffersSameAs(before.bridge), nil
}

// ServerLines lists the servers with their state and their cost. It implements slash.Servers.
func (s *Servers) ServerLines() []string {
	g := s.current.Load()
	if g == nil {
		return slices.Concat(s.configured.Problems, s.configured.Notes)
	}
	rows := [][]string{}
	for _, st := range g.bridge.Status() {
		state := "○"
		if g.wires.Connected(st.Configured.Name) != nil {
			state = "●"
		}
		rows = append(rows, []string{state, st.Configured.Name, st.Source(), st.Summary()})
	}
	lines := table.Lines("llll", rows)
	lines = append(lines, fmt.Sprintf("● connected. The tools of connected servers take about %s tokens of each request.", humanize.Tokens(g.bridge.TokenCost())))
	return slices.Concat(lines, g.configured.Problems, g.configured.Notes)
}

// ServerLine describes one server. It implements slash.Servers.
func (s *Servers) ServerLine(name string) ([]string, error) {
	st, err := s.status(name)
	if err != nil {
		return nil, err
	}
	return st.Describe(), nil
}

// ServerLog returns the log of one server. It implements slash.Servers.
func (s *Servers) ServerLog(name string) ([]string, error) {
	st, err := s.status(name)
	if err != nil {
		return nil, err
	}
	client := s.current.Load().wires.Connected(name)
	switch {
	case client != nil && client.Log() != "":
		return strings.Split(strings.TrimRight(client.Log(), "\n"), "\n"), nil
	case client != nil:
		return []string{name + " has printed nothing"}, nil
	case st.Reason != "":
		return []string{name + " is not connected: " + st.Reason}, nil
	}
	return []string{name + " is not connected"}, nil
}

func (s *Servers) status(name string) (bridge.Status, error) {
	var names []string
	for _, st := range s.Status() {
		if names = append(names, st.Configured.Name); st.Configured.Name == name {
			return st, nil
		}
	}
	return bridge.Status{}, fmt.Errorf("no server %q%s", name, suggest.Question(name, names))
}

// Status returns the state of each server.
func (s *Servers) Status() []bridge.Status {
	return fromCurrent(s, func(g *generation) []bridge.Status { return g.bridge.Status() })
}
