package mcphost

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"

	"agent/internal/base/fsutil"
	"agent/internal/chat/window"
	"agent/internal/extend/mcp"
	"agent/internal/extend/mcp/bridge"
	"agent/internal/extend/mcp/catalogue"
	"agent/internal/extend/setup/consent"
	"agent/internal/extend/setup/servers"
	"agent/internal/history"
	"agent/internal/llm/vendor"
	"agent/internal/sandbox"
	"agent/internal/settings"
)

// LaunchContext describes the environment in which servers are started.
type LaunchContext struct {
	// Environ is the environment as "KEY=value".
	Environ []string
	// Lookup returns a variable of the environment and whether it is set.
	Lookup func(name string) (value string, set bool)
	// Workspace is the folder in which servers work.
	Workspace string
	// Catalogue stores the tool offers of servers between sessions.
	Catalogue catalogue.Store
}

// ConfiguredServers holds the servers that are configured for a workspace, and everything that is needed to
// connect to them.
type ConfiguredServers struct {
	servers.Listing
	LaunchContext
	// Allowed returns an error if the address or command line of a server is forbidden. If it is nil, all
	// are allowed.
	Allowed func(line ...string) error
	// Session is the session ID in the environment of servers, or "" for none.
	Session string
	// Traced returns the value of TRACEPARENT in the environment of servers, or "" for none. It may be nil.
	Traced func() string
	// Trust holds the user's decisions about the servers of a repository.
	Trust *consent.Trust
	// Confined returns the sandbox for servers that are configured to run in one. If it is nil, there is no
	// sandbox.
	Confined func() sandbox.Confinement
	// switched maps the names of the servers that the user has disabled or enabled since the configuration
	// was read. The values are bools: true for disabled.
	switched sync.Map
}

func item(s *servers.Server) consent.Item {
	return consent.Item{Kind: consent.KindServer, Name: s.Name, Effects: s.Effects(), File: s.File, Folder: s.Folder, User: s.Origin == servers.OriginPlugin}
}

// ConsentItems returns the servers that need consent, because a repository configures them.
func ConsentItems(found servers.Listing) (items []consent.Item) {
	for _, s := range found.Servers {
		if s.NeedsConsent() && !s.Disabled {
			items = append(items, item(s))
		}
	}
	return items
}

// startOf describes the start of a server's program for the record. It uses the configured form, because
// the values of variables may be secret.
func startOf(x *ConfiguredServers, wire mcp.Server) history.Effect {
	did := history.Effect{Profile: wire.Confined.Label(wire.Profile)}
	for _, s := range x.Servers {
		if s.Name != wire.Name {
			continue
		}
		did.Ran = strings.Join(s.Words(), " ")
		if s.NeedsConsent() && x.Trust != nil {
			if shown, err := x.Trust.Store.Review([]consent.Item{item(s)}); err == nil {
				did.ApprovedHash = shown[0].Hash
			}
		}
	}
	return did
}

// whyUnused returns the reason why a server is not used, or "" if it is used.
func (x *ConfiguredServers) whyUnused(s *servers.Server) string {
	if x.Allowed != nil {
		with, _ := s.Expand(servers.Environment{Lookup: x.Lookup}) // variables can change its address
		if err := x.Allowed(with.Words()...); err != nil {
			return err.Error()
		}
	}
	switch {
	case x.isDisabled(s):
		return "it is disabled. Run: agent mcp enable " + s.Name
	case !s.NeedsConsent():
		return ""
	case x.Trust == nil:
		return "it waits for your approval. Run: agent trust"
	}
	if err := x.Trust.Store.Check(item(s)); err != nil {
		return err.Error()
	}
	return ""
}

// Status returns the state of each server by the catalog of stored offers. It starts no server and connects
// to none.
func (x *ConfiguredServers) Status(s *settings.Settings) []bridge.Status {
	b := bridge.New(bridge.Config{
		Servers: x.BridgeServers(), Store: x.Catalogue,
		Window: func() int { return window.SizeOf(settings.ContextLimit.Value(s), 0) },
		Choice: func() catalogue.OfferRule { return catalogue.OfferRule(settings.MCPTools.Value(s)) },
	})
	defer b.Close()
	return b.Status()
}

// Probe connects to a server and stores its tool offer in the catalog. The caller closes the client.
func (x *ConfiguredServers) Probe(ctx context.Context, s *servers.Server, host mcp.Host) (*mcp.Client, catalogue.ServerInfo, error) {
	store := x.Catalogue
	before, _ := store.Load(s.Name, s.Fields)
	client, err := mcp.Connect(ctx, x.ToMCPServer(s), host)
	if err != nil {
		if before.Failed = err.Error(); ctx.Err() == nil {
			_ = store.Save(s.Name, s.Fields, before)
		}
		return nil, before, err
	}
	listing, err := bridge.FetchListing(ctx, client)
	if err != nil {
		client.Close()
		return nil, before, err
	}
	known := catalogue.CleanListing(s.Name, listing, s.UsesTool).WithChangesSince(before)
	_ = store.Save(s.Name, s.Fields, known) // without a stored offer, the next session connects again
	return client, known, nil
}

// BridgeServers returns all servers, each with the reason if it is not used.
func (x *ConfiguredServers) BridgeServers() []bridge.Server {
	var all []bridge.Server
	for _, s := range x.Servers {
		all = append(all, bridge.Server{Configured: s, Unused: x.whyUnused(s)})
	}
	return all
}

// ToMCPServer returns a configured server in the form for mcp.Connect. It determines commands, API keys and
// consent again at each start of the server.
func (x *ConfiguredServers) ToMCPServer(s *servers.Server) mcp.Server {
	wire := mcp.Server{Name: s.Name, Type: string(s.Transport), StartTimeout: s.StartTimeout, CallTimeout: s.Timeout}
	if known, found := x.Catalogue.Load(s.Name, s.Fields); found {
		wire.Protocol = known.Protocol
	}
	wire.URL = s.URL // logins are stored by address
	wire.Prepare = func(wire mcp.Server) (mcp.Server, error) {
		if why := x.whyUnused(s); why != "" {
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
		wire.Dir = fsutil.ResolveIn(cmp.Or(s.Folder, x.Workspace), with.Cwd)
		if s.Sandbox == servers.Sandboxed && x.Confined != nil {
			wire.Confined, wire.Profile = x.Confined(), sandbox.ProfileWork
		}
		wire.OAuth = mcp.OAuth{ClientID: s.OAuth.ClientID, ClientSecret: with.OAuth.ClientSecret, Scopes: s.OAuth.Scopes, CallbackPort: s.OAuth.CallbackPort}
		return wire, nil
	}
	return wire
}

// holdsKey reports whether a variable is the key variable of a model provider, or its value contains such a
// key. A header or an address may contain a key.
func (p LaunchContext) holdsKey(name, value string) bool {
	const least = 8 // shortest key, in characters, that is searched within a value
	for _, v := range vendor.All() {
		if v.KeyVariable == "" {
			continue
		}
		key, _ := p.Lookup(v.KeyVariable)
		if name == v.KeyVariable || key != "" && value == key || len(key) >= least && strings.Contains(value, key) {
			return true
		}
	}
	return name == vendor.EnvKey
}
