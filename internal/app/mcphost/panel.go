package mcphost

import (
	"context"
	"errors"
	"strings"
	"time"

	"agent/internal/command"
	"agent/internal/extend/mcp"
	"agent/internal/extend/mcp/bridge"
	"agent/internal/extend/setup/servers"
)

// reconnectTime limits how long the panel waits for a connection.
const reconnectTime = time.Minute

// ServerChoiceList returns the list of servers for /mcp, or nil if there are none. It implements slash.Servers.
func (s *Servers) ServerChoiceList() *command.ChoiceList {
	g := s.current.Load()
	if g == nil {
		return nil
	}
	pick := &command.ChoiceList{Title: "MCP server"}
	for _, st := range g.bridge.Status() {
		mark, line := "○ ", "/mcp "+st.Configured.Name
		if g.wires.Connected(st.Configured.Name) != nil {
			mark = "● "
		}
		if g.configured.waits(st.Server.Configured) {
			line = "/trust" // /trust shows every command that the server would run
		}
		pick.Choices = append(pick.Choices, command.Choice{
			Name: st.Configured.Name, Help: mark + st.Summary() + " · " + st.Source(), Line: line,
			Preview: func() string { return strings.Join(st.Describe(), "\n") },
		})
	}
	act := func(do func(ctx context.Context, g *generation, st bridge.Status) error) func(command.Choice, string) (*command.ChoiceList, error) {
		return func(choice command.Choice, _ string) (*command.ChoiceList, error) {
			g, st, err := s.statusNow(choice.Name)
			if err == nil {
				err = do(g.life, g, st)
			}
			if err != nil {
				return nil, err
			}
			return s.ServerChoiceList(), nil
		}
	}
	pick.Actions = []command.ChoiceAction{
		{Key: "ctrl+x", Name: "on/off", Run: act(s.toggle)},
		{Key: "ctrl+t", Name: "reconnect", Run: act(s.reconnect)},
		{Key: "ctrl+o", Name: "log in", Run: act(s.login)},
	}
	return pick
}

func (s *Servers) statusNow(name string) (*generation, bridge.Status, error) {
	g := s.current.Load()
	if g == nil {
		return nil, bridge.Status{}, errors.New("no servers are configured any more")
	}
	st, err := s.status(name)
	return g, st, err
}

// toggle disables or enables a server, in its file and immediately. The tools that the model is offered
// stay the same until its list of tools changes anyway.
func (s *Servers) toggle(_ context.Context, g *generation, st bridge.Status) error {
	if st.Configured.File == "" {
		return errors.New("can't enable or disable " + st.Configured.Name + ": it comes from " + st.Source() + ", not from a file")
	}
	disable := !g.configured.isDisabled(st.Server.Configured)
	if err := servers.SetDisabled(st.Configured.File, st.Configured.Name, disable); err != nil {
		return err
	}
	g.configured.switched.Store(st.Configured.Name, disable)
	g.bridge.SetUnused(st.Configured.Name, g.configured.whyUnused(st.Server.Configured))
	if client := g.wires.Connected(st.Configured.Name); disable && client != nil {
		client.Close()
	}
	return nil
}

// reconnect closes the connection to a server and makes a new one.
func (s *Servers) reconnect(ctx context.Context, g *generation, st bridge.Status) error {
	if st.State == bridge.StateUnused {
		return errors.New(st.Configured.Name + " is not used: " + st.Reason)
	}
	if client := g.wires.Connected(st.Configured.Name); client != nil {
		client.Close()
	}
	ctx, cancel := context.WithTimeout(ctx, reconnectTime)
	defer cancel()
	return g.bridge.Refresh(ctx, st.Configured.Name)
}

// login logs the user in to a server, through their browser.
func (s *Servers) login(ctx context.Context, g *generation, st bridge.Status) error {
	switch {
	case st.State == bridge.StateUnused:
		return errors.New(st.Configured.Name + " is not used: " + st.Reason)
	case s.Browse == nil:
		return errors.New("can't open a browser here. In a shell, run: agent mcp login " + st.Configured.Name)
	}
	err := s.Logins.Login(ctx, g.configured.ToMCPServer(st.Server.Configured), mcp.Host{Version: s.Version}, func(ctx context.Context, address string) (string, error) {
		s.Browse(ctx, address)
		return "", nil
	})
	if err != nil {
		return err
	}
	return s.reconnect(ctx, g, st)
}

func (x *ConfiguredServers) waits(s *servers.Server) bool {
	if !s.NeedsConsent() || x.isDisabled(s) {
		return false
	}
	return x.Trust == nil || x.Trust.Store.Check(item(s)) != nil
}

// isDisabled reports whether a server is disabled. The panel takes precedence over the file.
func (x *ConfiguredServers) isDisabled(s *servers.Server) bool {
	if now, switched := x.switched.Load(s.Name); switched {
		return now.(bool)
	}
	return s.Disabled
}
