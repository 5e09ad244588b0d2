package app

import (
	"path/filepath"

	"agent/internal/app/hookgates"
	"agent/internal/app/mcphost"
	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/extend/mcp"
	"agent/internal/extend/mcp/catalogue"
	"agent/internal/extend/setup/servers"
	"agent/internal/llm"
	"agent/internal/provider"
	"agent/internal/tools"
)

// Servers returns the MCP servers of a workspace, with those of a conversation's options.
func (p *Process) Servers(f Folders, workspace string, o Options) (*mcphost.ConfiguredServers, error) {
	found, err := servers.Find(servers.Locations{
		Locations: p.TrustedLocations(f, workspace), Dir: p.Dir,
		Given: o.Servers, Editor: o.EditorServers, GivenOnly: o.NoSetup,
	})
	if err != nil {
		return nil, InputError{err}
	}
	var known catalogue.Store
	if caches := p.Caches(); caches != "" {
		known.Dir = filepath.Join(caches, "mcp")
	}
	return &mcphost.ConfiguredServers{Listing: found, Allowed: p.underPolicy().CheckServer, LaunchContext: mcphost.LaunchContext{Environ: p.Environ, Lookup: p.lookup, Workspace: workspace, Catalogue: known}}, nil
}

// Logins returns the store for logins to servers: the keyring of the system, or otherwise files.
func (p *Process) Logins(f Folders) *mcp.Logins {
	return &mcp.Logins{Keys: loginKeys{provider.SystemKeys(f.Config, p.Env)}, Folder: filepath.Join(f.State, "mcp"), Allowed: p.underPolicy().CheckHost}
}

// loginKeys stores logins as plain strings. The type llm.Key, which hides API keys in texts, is only for
// the keys of models.
type loginKeys struct{ provider.Keys }

func (k loginKeys) Get(place string) string {
	key, _ := k.Keys.Get(place)
	return string(key)
}

func (k loginKeys) Set(place, secret string) error {
	_, err := k.Keys.Set(place, llm.Key(secret))
	return err
}

// newServers connects a conversation to its configured servers. Server programs receive its trace context.
func newServers(rec *record, models *endpoints, host *hookgates.Host, configured *mcphost.ConfiguredServers, may func(tools.ServerCall) error, traced func() string, emit func(chat.Event), line *chat.Handle) *mcphost.Servers {
	at := rec.at
	equipped := func(configured *mcphost.ConfiguredServers) *mcphost.ConfiguredServers {
		configured.Session, configured.Trust, configured.Traced, configured.Confined = rec.SessionID(), host.Trust, traced, host.Confinement
		return configured
	}
	return mcphost.New(mcphost.Config{
		Version: at.process.Version, Unattended: at.options.Unattended, Settings: at.settings, Env: host.Env,
		Logins: at.process.Logins(at.folders), Window: models.window, Browse: at.options.Browse,
		Read: func() (*mcphost.ConfiguredServers, error) {
			again, err := at.process.Servers(at.folders, at.workspace.Root(), at.options)
			if err != nil {
				return nil, err
			}
			return equipped(again), nil
		},
		OnFreeze: rec.servers, Did: rec.acts.did, Reached: rec.acts.reach,
		Tell:    func(text string) { emit(chat.Notice{Text: humanize.Brief(text)}) },
		Inquire: line.Inquire, May: may,
	}, equipped(configured), rec.resumed.Servers)
}
