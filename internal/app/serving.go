package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"agent/internal/chat"
	"agent/internal/chat/window"
	"agent/internal/history"
	"agent/internal/mcp"
	"agent/internal/mcp/bridge"
	"agent/internal/mcp/catalogue"
	"agent/internal/nearest"
	"agent/internal/rawjson"
	"agent/internal/settings"
	"agent/internal/table"
	"agent/internal/tools"
	"agent/internal/words"
)

// serving are the servers of a conversation. Another takes its place when the
// configuration is read again.
type serving struct {
	*bridge.Bridge
	configured *Servers
	wires      *mcp.Set
	// generation counts those of a conversation.
	generation uint64
}

func (s *serving) close() {
	s.Close()
	s.wires.Close()
}

// How long the first request waits for servers that are not known yet.
const (
	patienceOnScreen = 3 * time.Second
	patienceOfScript = 10 * time.Second
)

// findServers finds the servers that are configured. What is wrong with one is said.
func (c *Conversation) findServers() (err error) {
	c.configured, err = c.process.Servers(c.folders, c.workspace.Root(), c.options)
	if err != nil {
		return err
	}
	for _, line := range slices.Concat(c.configured.Problems, c.configured.Notes) {
		c.Notices = append(c.Notices, "mcp: "+line)
	}
	return nil
}

// serve makes the tools of servers callable. Offered is what a recorded session was
// offered. Without servers nothing is begun.
func (c *Conversation) serve(offered json.RawMessage) {
	c.onClose(func() error {
		if s := c.serving.Swap(nil); s != nil {
			s.close()
		}
		return nil
	})
	var recorded []bridge.Offered
	if err := json.Unmarshal(offered, &recorded); err != nil {
		recorded = nil // there is none, or it is damaged: what there is now is offered
	}
	if len(c.configured.Servers) == 0 && len(recorded) == 0 {
		return
	}
	s := c.newServing(c.configured, 1)
	if len(recorded) > 0 {
		s.Restore(recorded)
	}
	c.serving.Store(s)
	s.Start()
}

func (c *Conversation) newServing(configured *Servers, generation uint64) *serving {
	configured.session, configured.Trust, configured.Confined = c.SessionID(), c.trust, c.confinement
	s := &serving{configured: configured, generation: generation}
	var wires []mcp.Server
	for _, server := range configured.Servers {
		wires = append(wires, configured.Wire(server))
	}
	s.wires = mcp.NewSet(wires, mcp.Host{
		Version: c.process.Version, Roots: []string{c.workspace.Root()}, Ask: c.askForServer,
		Changed: func(server string) { s.Changed(server) },
		Logins:  c.process.Logins(c.folders),
	})
	s.Bridge = bridge.New(bridge.Config{
		Servers: configured.Used(),
		Connect: func(ctx context.Context, server string) (bridge.Connection, error) {
			client, err := s.wires.Client(ctx, server)
			if err != nil {
				return nil, err
			}
			return client, nil
		},
		Store:        c.process.Catalogue(),
		Window:       func() int { return window.SizeOf(c.windowSize()) },
		Choice:       func() catalogue.Choice { return catalogue.Choice(settings.MCPTools.Of(c.settings)) },
		ResultTokens: func() int { return settings.MCPResultMaxTokens.Of(c.settings) },
		Kept: func(offered []bridge.Offered) {
			if c.session == nil {
				return
			}
			data, err := rawjson.Marshal(offered)
			if err == nil {
				err = c.session.Servers(data)
			}
			c.logged(err)
		},
	})
	return s
}

// serverSource is the source of servers' tools.
func (c *Conversation) serverSource() tools.Source {
	return tools.Source{
		Name: "servers",
		Revision: func() uint64 {
			s := c.serving.Load()
			if s == nil {
				return 0
			}
			return s.generation<<32 + s.Source().Revision()
		},
		List: func() []tools.Tool {
			s := c.serving.Load()
			if s == nil {
				return nil
			}
			return s.Source().List()
		},
		Expects: func(name string) bool {
			_, _, is := catalogue.Split(name)
			return is || name == "mcp_find" || name == "mcp_call" || name == "mcp_read"
		},
	}
}

// offeredBy names for whom the head is made: the model, and what servers offer.
func (c *Conversation) offeredBy() string {
	named := c.Connection.Named()
	if s := c.serving.Load(); s != nil {
		named += fmt.Sprintf(" %d.%d", s.generation, s.Stamp())
	}
	return named
}

// awaitServers waits for servers that are not known yet, before the first request.
func (c *Conversation) awaitServers(ctx context.Context) {
	s := c.serving.Load()
	if s == nil {
		return
	}
	wait := patienceOnScreen
	if c.options.Unattended {
		wait = patienceOfScript
	}
	if s.Frozen() {
		return
	}
	if pending := s.Pending(); len(pending) > 0 {
		c.tell(chat.Notice{Text: "waiting for " + strings.Join(pending, ", ") + " …"})
	}
	if late := s.Ready(ctx, wait); len(late) > 0 {
		c.tell(chat.Notice{Text: strings.Join(late, ", ") + ": not ready yet; what they offer can be called later"})
	}
	for _, st := range s.Status() {
		if st.State == bridge.Failed {
			c.tell(chat.Notice{Text: "server " + st.Name + " is not used: " + st.Reason})
		}
	}
}

// serverNews are what servers offer since the model was told last, as blocks of a message.
func (c *Conversation) serverNews() []history.Block {
	s := c.serving.Load()
	if s == nil {
		return nil
	}
	var blocks []history.Block
	for _, line := range s.News() {
		blocks = append(blocks, &history.Text{Text: "[" + line + "]", Source: history.Brought})
	}
	return blocks
}

// useServers starts the use of servers that the person has agreed to since.
func (c *Conversation) useServers() {
	s := c.serving.Load()
	if s == nil {
		return
	}
	for _, server := range s.configured.Servers {
		s.Use(server.Name, s.configured.unused(server))
	}
}

// ReloadServers reads the configuration again, connects to all servers and offers what
// there is then. It returns what a person should know of it.
func (c *Conversation) ReloadServers(ctx context.Context) ([]string, error) {
	configured, err := c.process.Servers(c.folders, c.workspace.Root(), c.options)
	if err != nil {
		return nil, err
	}
	before := c.serving.Load()
	generation := uint64(1)
	if before != nil {
		generation = before.generation + 1
	}
	s := c.newServing(configured, generation)
	err = s.Reload(ctx)
	if ctx.Err() != nil {
		s.close()
		return nil, ctx.Err()
	}
	if old := c.serving.Swap(s); old != nil {
		old.close()
	}
	lines := slices.Concat(configured.Problems, configured.Notes)
	if err != nil {
		lines = append(lines, strings.Split(err.Error(), "\n")...)
	}
	if before != nil && s.OffersAs(before.Bridge) {
		return append(lines, "What the servers offer is what it was; the provider's cache holds."), nil
	}
	usage, err := c.ContextUsage(ctx)
	if err != nil {
		return nil, err
	}
	return append(lines, fmt.Sprintf("The next request sends all %s anew: the tools at its head have changed, so that the provider's cache does not hold.", words.Count(usage.Total(), "token"))), nil
}

// tell emits an event of the front end's own, on the goroutine that runs the conversation.
func (c *Conversation) tell(e chat.Event) {
	c.note(e)
	c.options.Events(chat.Envelope{Conversation: c.id, Event: e})
}

// ServerLines lists the servers, and what is wrong with the configuration.
func (c *Conversation) ServerLines() []string {
	s := c.serving.Load()
	if s == nil {
		return slices.Concat(c.configured.Problems, c.configured.Notes)
	}
	rows := [][]string{}
	for _, st := range s.Status() {
		state := "○"
		if s.wires.Connected(st.Name) != nil {
			state = "●"
		}
		rows = append(rows, []string{state, st.Name, st.From(), st.Says()})
	}
	lines := table.Lines("llll", rows)
	lines = append(lines, fmt.Sprintf("● connected. Their tools take about %s tokens of each request.", words.Tokens(s.Cost())))
	return slices.Concat(lines, s.configured.Problems, s.configured.Notes)
}

// ServerLine says all that is known of a server.
func (c *Conversation) ServerLine(name string) ([]string, error) {
	st, err := c.serverStatus(name)
	if err != nil {
		return nil, err
	}
	return st.Describe(), nil
}

// ServerLog is the end of what a server has written.
func (c *Conversation) ServerLog(name string) ([]string, error) {
	st, err := c.serverStatus(name)
	if err != nil {
		return nil, err
	}
	client := c.serving.Load().wires.Connected(name)
	switch {
	case client != nil && client.Log() != "":
		return strings.Split(strings.TrimRight(client.Log(), "\n"), "\n"), nil
	case client != nil:
		return []string{name + " has written nothing"}, nil
	case st.Reason != "":
		return []string{name + " is not connected: " + st.Reason}, nil
	}
	return []string{name + " is not connected"}, nil
}

func (c *Conversation) serverStatus(name string) (bridge.Status, error) {
	var names []string
	if s := c.serving.Load(); s != nil {
		for _, st := range s.Status() {
			if names = append(names, st.Name); st.Name == name {
				return st, nil
			}
		}
	}
	return bridge.Status{}, fmt.Errorf("there is no server %q%s", name, nearest.Question(name, names))
}

// ServerStatus is how the servers are, for scripts.
func (c *Conversation) ServerStatus() []bridge.Status {
	if s := c.serving.Load(); s != nil {
		return s.Status()
	}
	return nil
}
