package app

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"

	"agent/internal/chat/window"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/mcp"
	"agent/internal/mcp/bridge"
	"agent/internal/mcp/catalogue"
	"agent/internal/provider"
	"agent/internal/sandbox"
	"agent/internal/settings"
	"agent/internal/setup/consent"
	"agent/internal/setup/servers"
	"agent/internal/setup/trust"
)

// Servers are the servers that are configured for a workspace, and what it takes to reach
// them.
type Servers struct {
	servers.Found
	process   *Process
	folders   Folders
	workspace string
	// session names the session to programs, "" for none.
	session string
	// Trust is what the person said of servers of the repository.
	Trust *trust.Trust
	// Confined is the sandbox of programs that want one; nil for none.
	Confined func() sandbox.Confinement
}

// Servers finds the servers of a workspace, and those that the options of a conversation
// bring.
func (p *Process) Servers(f Folders, workspace string, o Options) (*Servers, error) {
	found, err := servers.Find(servers.Where{
		Config: f.Config, Home: p.Home, Workspace: workspace, Dir: p.Dir,
		Given: o.Servers, Editor: o.EditorServers, GivenOnly: o.NoSetup,
	})
	if err != nil {
		return nil, InputError{err}
	}
	return &Servers{Found: found, process: p, folders: f, workspace: workspace}, nil
}

// Catalogue is where what is known of servers is kept.
func (p *Process) Catalogue() catalogue.Store {
	base := cmp.Or(p.CacheHome, p.Env("XDG_CACHE_HOME"))
	if base == "" && p.Home != "" {
		base = filepath.Join(p.Home, ".cache")
	}
	if !filepath.IsAbs(base) {
		return catalogue.Store{}
	}
	return catalogue.Store{Dir: filepath.Join(base, "agent", "mcp")}
}

// serverItem is a server of a repository as a thing that needs consent.
func serverItem(s *servers.Server) consent.Item {
	item := consent.Item{
		Kind: consent.Server, Name: s.Name, Fields: rawFields(s.Fields), Says: s.Line(),
		Variables: s.Variables(), File: s.File,
	}
	if s.Transport == servers.Stdio {
		item.Command = append([]string{s.Command}, s.Args...)
		if s.Sandbox != servers.Sandboxed {
			item.Says += " (outside the sandbox)"
		}
	}
	return item
}

// serverItems are the servers of a repository, which need consent.
func serverItems(found servers.Found) trust.Found {
	var items trust.Found
	for _, s := range found.Servers {
		if s.Origin == servers.Project && !s.Disabled {
			items.Items = append(items.Items, serverItem(s))
		}
	}
	return items
}

// unused is why a server is not used, empty if it is.
func (x *Servers) unused(s *servers.Server) string {
	switch {
	case s.Disabled:
		return "it is disabled: agent mcp enable " + s.Name
	case s.Origin != servers.Project:
		return ""
	case x.Trust == nil:
		return "it waits for your yes: agent trust"
	}
	if err := x.Trust.Store.May(serverItem(s)); err != nil {
		return err.Error()
	}
	return ""
}

// Status says how the servers are, as far as it is known: nothing is started or connected.
func (x *Servers) Status(s *settings.Settings) []bridge.Status {
	b := bridge.New(bridge.Config{
		Servers: x.Used(), Store: x.process.Catalogue(),
		Window: func() int { return window.SizeOf(settings.ContextLimit.Of(s), 0) },
		Choice: func() catalogue.Choice { return catalogue.Choice(settings.MCPTools.Of(s)) },
	})
	defer b.Close()
	return b.Status()
}

// Ask connects to a server and keeps what it offers. The caller closes the client.
func (x *Servers) Ask(ctx context.Context, s *servers.Server, host mcp.Host) (*mcp.Client, catalogue.Known, error) {
	store := x.process.Catalogue()
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
func (x *Servers) Used() []bridge.Server {
	var all []bridge.Server
	for _, s := range x.Servers {
		all = append(all, bridge.Server{Server: s, Unused: x.unused(s)})
	}
	return all
}

// Wire is a server as it is reached. What it takes is looked up at each start.
func (x *Servers) Wire(s *servers.Server) mcp.Server {
	wire := mcp.Server{Name: s.Name, Type: string(s.Transport), StartTimeout: s.StartTimeout, CallTimeout: s.Timeout}
	if known, found := x.process.Catalogue().Load(s.Name, s.Fields); found {
		wire.Protocol = known.Protocol
	}
	wire.URL = s.URL // the name of its login
	wire.Prepare = func(wire mcp.Server) (mcp.Server, error) {
		if why := x.unused(s); why != "" {
			return wire, errors.New(why)
		}
		with, err := s.Expand(servers.Environment{Lookup: x.process.lookup, Key: x.process.holdsKey})
		if err != nil {
			return wire, err
		}
		wire.Command, wire.Args, wire.URL, wire.Headers = with.Command, with.Args, with.URL, with.Headers
		wire.Env = with.Environ(x.process.Environ, map[string]string{"CLAUDE_PROJECT_DIR": x.workspace, "AGENT_SESSION_ID": x.session})
		wire.Dir = filepath.Join(cmp.Or(s.Folder, x.workspace), with.Cwd)
		if filepath.IsAbs(with.Cwd) {
			wire.Dir = with.Cwd
		}
		if s.Sandbox == servers.Sandboxed && x.Confined != nil {
			wire.Confined, wire.Profile = x.Confined(), sandbox.Work
		}
		wire.OAuth = mcp.OAuth{ClientID: s.OAuth.ClientID, Scopes: s.OAuth.Scopes, CallbackPort: s.OAuth.CallbackPort}
		if name := s.OAuth.ClientSecretEnv; name != "" {
			wire.OAuth.ClientSecret = x.process.Env(name)
		}
		return wire, nil
	}
	return wire
}

// Logins keeps what logins to servers gave: in the system's keyring, else in files.
func (p *Process) Logins(f Folders) *mcp.Logins {
	return &mcp.Logins{Keys: loginKeys{provider.SystemKeys(f.Config, p.Env)}, Folder: filepath.Join(f.State, "mcp")}
}

// loginKeys are keys without the type that keeps those of models out of texts.
type loginKeys struct{ provider.Keys }

func (k loginKeys) Get(place string) string {
	key, _ := k.Keys.Get(place)
	return string(key)
}

func (k loginKeys) Set(place, secret string) error {
	_, err := k.Keys.Set(place, llm.Key(secret))
	return err
}

// lookup returns a variable of the environment and whether it is set.
func (p *Process) lookup(name string) (value string, set bool) {
	for _, pair := range p.Environ {
		if v, found := strings.CutPrefix(pair, name+"="); found {
			value, set = v, true
		}
	}
	return value, set
}

// holdsKey reports whether a variable holds a key of a provider of models, by its name or
// by its value.
func (p *Process) holdsKey(name, value string) bool {
	for _, v := range vendor.All() {
		if v.KeyVariable != "" && (name == v.KeyVariable || value != "" && value == p.Env(v.KeyVariable)) {
			return true
		}
	}
	return name == vendor.EnvKey
}

// rawFields are fields of JSON as they are.
type rawFields []byte

// MarshalJSON implements json.Marshaler.
func (f rawFields) MarshalJSON() ([]byte, error) { return f, nil }
