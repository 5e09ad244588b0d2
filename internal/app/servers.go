package app

import (
	"path/filepath"

	"agent/internal/app/gates"
	"agent/internal/app/serving"
	"agent/internal/chat"
	"agent/internal/llm"
	"agent/internal/mcp"
	"agent/internal/mcp/catalogue"
	"agent/internal/provider"
	"agent/internal/setup/servers"
	"agent/internal/tools"
	"agent/internal/words"
)

// Servers finds the MCP servers of a workspace and of the options of a conversation.
func (p *Process) Servers(f Folders, workspace string, o Options) (*serving.Configured, error) {
	found, err := servers.Find(servers.Where{
		Where: p.Where(f, workspace), Dir: p.Dir,
		Given: o.Servers, Editor: o.EditorServers, GivenOnly: o.NoSetup,
	})
	if err != nil {
		return nil, InputError{err}
	}
	var known catalogue.Store
	if caches := p.Caches(); caches != "" {
		known.Dir = filepath.Join(caches, "mcp")
	}
	return &serving.Configured{Listing: found, Allowed: p.underPolicy().Server, Place: serving.Place{Environ: p.Environ, Lookup: p.lookup, Workspace: workspace, Catalogue: known}}, nil
}

// Logins returns the store for the results of logins to servers: the keyring of the system, or
// else files.
func (p *Process) Logins(f Folders) *mcp.Logins {
	return &mcp.Logins{Keys: loginKeys{provider.SystemKeys(f.Config, p.Env)}, Folder: filepath.Join(f.State, "mcp"), Allowed: p.underPolicy().Host}
}

// loginKeys stores logins as plain strings, without the type llm.Key that hides the keys of
// models in texts.
type loginKeys struct{ provider.Keys }

func (k loginKeys) Get(place string) string {
	key, _ := k.Keys.Get(place)
	return string(key)
}

func (k loginKeys) Set(place, secret string) error {
	_, err := k.Keys.Set(place, llm.Key(secret))
	return err
}

// newServers connects a conversation to its configured servers. Programs of servers get the context
// of its trace.
func newServers(rec *record, models *endpoints, host *gates.Host, configured *serving.Configured, may func(tools.Served) error, traced func() string, emit func(chat.Event), line *chat.Line) *serving.Servers {
	at := rec.at
	equipped := func(configured *serving.Configured) *serving.Configured {
		configured.Session, configured.Trust, configured.Traced, configured.Confined = rec.SessionID(), host.Trust, traced, host.Confinement
		return configured
	}
	return serving.New(serving.Config{
		Version: at.process.Version, Unattended: at.options.Unattended, Settings: at.settings, Env: host.Env,
		Logins: at.process.Logins(at.folders), Window: models.window, Browse: at.options.Browse,
		Read: func() (*serving.Configured, error) {
			again, err := at.process.Servers(at.folders, at.workspace.Root(), at.options)
			if err != nil {
				return nil, err
			}
			return equipped(again), nil
		},
		OnFreeze: rec.servers, Did: rec.acts.did, Reached: rec.acts.reach,
		Tell:    func(text string) { emit(chat.Notice{Text: words.Brief(text)}) },
		Inquire: line.Inquire, May: may,
	}, equipped(configured), rec.resumed.Servers)
}
