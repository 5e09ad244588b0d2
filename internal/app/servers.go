package app

import (
	"context"
	"path/filepath"

	"agent/internal/app/serving"
	"agent/internal/chat"
	"agent/internal/llm"
	"agent/internal/mcp"
	"agent/internal/mcp/bridge"
	"agent/internal/mcp/catalogue"
	"agent/internal/provider"
	"agent/internal/rawjson"
	"agent/internal/setup/servers"
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
	return &mcp.Logins{Keys: loginKeys{provider.SystemKeys(f.Config, p.Env)}, Folder: filepath.Join(f.State, "mcp")}
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

// readServers reads the configuration of the MCP servers.
func (c *Conversation) readServers() (*serving.Configured, error) {
	configured, err := c.process.Servers(c.folders, c.workspace.Root(), c.options)
	if err != nil {
		return nil, err
	}
	c.equip(configured)
	configured.Confined = c.confinement
	return configured, nil
}

// equip gives the configured servers the session, trust and trace context of the conversation.
func (c *Conversation) equip(configured *serving.Configured) {
	configured.Session, configured.Trust, configured.Traced = c.SessionID(), c.Trust, c.tracer.Context
}

// serverConfig returns the parts of the conversation that the servers need.
func (c *Conversation) serverConfig() serving.Config {
	return serving.Config{
		Version: c.process.Version, Unattended: c.options.Unattended, Settings: c.settings, Env: c.env,
		Logins: c.process.Logins(c.folders), Read: c.readServers, Window: c.window, Browse: c.options.Browse,
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
		Did: c.acts.did, Reached: c.acts.reach,
		Tell:    func(line string) { c.emit(chat.Notice{Text: words.Brief(line)}) },
		Usage:   func(ctx context.Context) (chat.ContextUsage, error) { return c.Chat.Views.ContextUsage(ctx) },
		Inquire: c.line.Inquire,
	}
}
