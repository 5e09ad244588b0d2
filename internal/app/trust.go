package app

import (
	"slices"

	"agent/internal/app/brought"
	"agent/internal/app/gates"
	"agent/internal/app/serving"
	"agent/internal/disk"
	"agent/internal/rules"
	"agent/internal/settings"
	"agent/internal/setup"
	"agent/internal/setup/consent"
	"agent/internal/setup/hooks"
	"agent/internal/setup/imports"
	"agent/internal/setup/permissions"
	"agent/internal/setup/servers"
	"agent/internal/setup/trust"
)

// suggested is what people and the repository have brought of which something may need
// consent.
type suggested struct {
	callable setup.Set
	rules    permissions.Rules
	servers  servers.Found
	hooks    hooks.Found
}

// finders are the rooms whose things need consent, a line each.
func finders(s suggested) []trust.Finder {
	return []trust.Finder{
		func(consent.Where) trust.Found { return gates.Offered(s.rules) },
		func(consent.Where) trust.Found { return brought.Grants(s.callable) },
		func(consent.Where) trust.Found { return serving.Items(s.servers) },
		func(consent.Where) trust.Found { return gates.Items(s.hooks) },
		func(w consent.Where) trust.Found { return trust.Found{Ignored: imports.Unread(w.Home, w.Workspace)} },
	}
}

// Trust finds what needs consent in a folder, without a conversation.
func (p *Process) Trust(f Folders, s *settings.Settings, workspace string) *trust.Trust {
	home, workspace := disk.Real(p.Home), disk.Real(workspace)
	configured, _ := servers.Find(servers.Where{Config: f.Config, Home: p.Home, Workspace: workspace}) // only --mcp-config gives an error
	return p.trust(f, workspace, suggested{
		brought.Find(f.Config, p.Home, workspace, brought.SkillPaths(s, p.Home, workspace)), permissions.Read(permissions.Where{Home: home, Workspace: workspace}), configured,
		hooks.Find(hooks.Where{Config: f.Config, Home: p.Home, Workspace: workspace}),
	})
}

func (p *Process) trust(f Folders, workspace string, s suggested) *trust.Trust {
	where := consent.Where{Config: f.Config, Home: p.Home, Workspace: workspace}
	return trust.Find(where, p.Now, finders(s)...)
}

// findTrust finds what needs consent, and says what is not used without it.
func (c *Conversation) findTrust() error {
	if c.options.NoSetup {
		c.Trust = trust.Find(consent.Where{Config: c.folders.Config, Home: c.process.Home, Workspace: c.workspace.Root()}, c.process.Now)
		return nil
	}
	c.Trust = c.process.trust(c.folders, c.workspace.Root(), suggested{c.Brought.Set(), c.Rules.Rules, c.configured.Found, c.Hooking.Found})
	if c.options.TrustProject {
		if err := c.Trust.ForRun(); err != nil {
			return err
		}
	}
	for _, line := range c.Trust.Ignored {
		c.Notices = append(c.Notices, "ignored: "+line)
	}
	if left := c.Trust.Left(); left != "" && !c.options.AsksTrust {
		c.Notices = append(c.Notices, "agent: "+left)
	}
	return nil
}

// useAgreed has the conversation do what the person has agreed to, now and after each
// answer.
func (c *Conversation) useAgreed() {
	use := func() {
		var allowed rules.Rules
		for _, r := range c.Trust.Agreed() {
			if texts, list := r.Fields.([]string); list && r.Kind == consent.Allow {
				allowed = append(allowed, c.host.InOurRules(texts)...)
			}
		}
		c.Chat.Consent().SetAgreed(allowed)
		guarded := c.Trust.Guarded()
		c.guarded.Store(&guarded)
		c.Servers.UseAgreed()
	}
	use()
	c.Trust.OnAnswer(use)
}

// isGuarded reports whether a file is what the person agreed to, as it is.
func (c *Conversation) isGuarded(abs string) bool {
	return slices.ContainsFunc(c.guardedPaths(), func(path string) bool { return disk.Within(path, abs) })
}

func (c *Conversation) guardedPaths() []string {
	if paths := c.guarded.Load(); paths != nil {
		return *paths
	}
	return nil
}
