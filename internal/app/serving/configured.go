package serving

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"agent/internal/chat/window"
	"agent/internal/disk"
	"agent/internal/llm/vendor"
	"agent/internal/mcp"
	"agent/internal/mcp/bridge"
	"agent/internal/mcp/catalogue"
	"agent/internal/sandbox"
	"agent/internal/settings"
	"agent/internal/setup/consent"
	"agent/internal/setup/servers"
)

// Place is from where servers are reached.
type Place struct {
	// Environ is the environment as "KEY=value".
	Environ []string
	// Lookup returns a variable of it and whether it is set.
	Lookup func(name string) (value string, set bool)
	// Workspace is the folder to work in.
	Workspace string
	// Catalogue keeps what is known of servers.
	Catalogue catalogue.Store
}

// Configured are the servers that are configured for a workspace, and what it takes to
// reach them.
type Configured struct {
	servers.Found
	Place
	// Session names the session to programs, "" for none.
	Session string
	// Traced names the span that programs belong to, as TRACEPARENT; nil or "" for none.
	Traced func() string
	// Trust is what the person said of servers of the repository.
	Trust *consent.Trust
	// Confined is the sandbox of programs that want one; nil for none.
	Confined func() sandbox.Confinement
	// switched says by name which servers were disabled, or enabled, since.
	switched sync.Map
}

// item is a server of a repository as a thing that needs consent.
func item(s *servers.Server) consent.Item {
	return consent.Item{Kind: consent.Server, Name: s.Name, Effects: s.Effects(), File: s.File, Folder: s.Folder}
}

// Items are the servers of a repository, which need consent.
func Items(found servers.Found) (items []consent.Item) {
	for _, s := range found.Servers {
		if s.Origin == servers.Project && !s.Disabled {
			items = append(items, item(s))
		}
	}
	return items
}

// unused is why a server is not used, empty if it is.
func (x *Configured) unused(s *servers.Server) string {
	switch {
	case x.isDisabled(s):
		return "it is disabled: agent mcp enable " + s.Name
	case s.Origin != servers.Project:
		return ""
	case x.Trust == nil:
		return "it waits for your yes: agent trust"
	}
	if err := x.Trust.May(item(s)); err != nil {
		return err.Error()
	}
	return ""
}

// Status is what is known of the servers: nothing is started or connected.
func (x *Configured) Status(s *settings.Settings) []bridge.Status {
	b := bridge.New(bridge.Config{
		Servers: x.Used(), Store: x.Catalogue,
		Window: func() int { return window.SizeOf(settings.ContextLimit.Of(s), 0) },
		Choice: func() catalogue.Choice { return catalogue.Choice(settings.MCPTools.Of(s)) },
	})
	defer b.Close()
	return b.Status()
}

// Ask connects to a server and keeps what it offers. The caller closes the client.
func (x *Configured) Ask(ctx context.Context, s *servers.Server, host mcp.Host) (*mcp.Client, catalogue.Known, error) {
	store := x.Catalogue
	before, _ := store.Load(s.Name, s.Fields)
	client, err := mcp.Connect(ctx, x.Wire(s), host)
	if err != nil {
		if before.Failed = err.Error(); ctx.Err() == nil {
			_ = store.Save(s.Name, s.Fields, before)
		}
		return nil, before, err
	}
	listing, err := bridge.List(ctx, client)
	if err != nil {
		client.Close()
		return nil, before, err
	}
	known := catalogue.Take(s.Name, listing, s.Uses).Since(before)
	_ = store.Save(s.Name, s.Fields, known) // it is asked again if it cannot be kept
	return client, known, nil
}

// Used are the servers with why each is not used.
func (x *Configured) Used() []bridge.Server {
	var all []bridge.Server
	for _, s := range x.Servers {
		all = append(all, bridge.Server{Server: s, Unused: x.unused(s)})
	}
	return all
}

// Wire is a server as it is reached. What it takes is looked up at each start.
func (x *Configured) Wire(s *servers.Server) mcp.Server {
	wire := mcp.Server{Name: s.Name, Type: string(s.Transport), StartTimeout: s.StartTimeout, CallTimeout: s.Timeout}
	if known, found := x.Catalogue.Load(s.Name, s.Fields); found {
		wire.Protocol = known.Protocol
	}
	wire.URL = s.URL // the name of its login
	wire.Prepare = func(wire mcp.Server) (mcp.Server, error) {
		if why := x.unused(s); why != "" {
			return wire, errors.New(why)
		}
		with, err := s.Expand(servers.Environment{Lookup: x.Lookup, Key: x.holdsKey})
		if err != nil {
			return wire, err
		}
		wire.Command, wire.Args, wire.URL, wire.Headers = with.Command, with.Args, with.URL, with.Headers
		more := map[string]string{"CLAUDE_PROJECT_DIR": x.Workspace, "AGENT_SESSION_ID": x.Session}
		if x.Traced != nil && x.Traced() != "" {
			more["TRACEPARENT"] = x.Traced()
		}
		wire.Env = with.Environ(x.Environ, more)
		wire.Dir = disk.At(cmp.Or(s.Folder, x.Workspace), with.Cwd)
		if s.Sandbox == servers.Sandboxed && x.Confined != nil {
			wire.Confined, wire.Profile = x.Confined(), sandbox.Work
		}
		wire.OAuth = mcp.OAuth{ClientID: s.OAuth.ClientID, Scopes: s.OAuth.Scopes, CallbackPort: s.OAuth.CallbackPort}
		if name := s.OAuth.ClientSecretEnv; name != "" {
			wire.OAuth.ClientSecret, _ = x.Lookup(name)
		}
		return wire, nil
	}
	return wire
}

// holdsKey reports whether a variable holds a key of a provider of models, by its name or
// by its value.
func (p Place) holdsKey(name, value string) bool {
	for _, v := range vendor.All() {
		if v.KeyVariable == "" {
			continue
		}
		if key, _ := p.Lookup(v.KeyVariable); name == v.KeyVariable || value != "" && value == key {
			return true
		}
	}
	return name == vendor.EnvKey
}
