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
	"agent/internal/setup/effect"
	"agent/internal/setup/hooks"
	"agent/internal/setup/imports"
	"agent/internal/setup/permissions"
	"agent/internal/setup/servers"
	"agent/internal/setup/source"
)

// Where returns the places to look for the set-up of a workspace, without symbolic links.
func (p *Process) Where(f Folders, workspace string) source.Where {
	w := source.Where{Config: f.Config, Home: p.Home, Workspace: workspace}
	w.Plugins, _ = f.Plugins().Where() // agent plugin list and agent doctor name what cannot be read
	for _, folder := range []*string{&w.Home, &w.Workspace} {
		if *folder != "" {
			*folder = disk.Real(*folder)
		}
	}
	return w
}

// Trust finds the things in a folder that need consent, without a conversation.
func (p *Process) Trust(f Folders, s *settings.Settings, workspace string) *consent.Trust {
	w := p.Where(f, workspace)
	configured, _ := servers.Find(servers.Where{Where: w}) // only --mcp-config gives an error
	return p.trust(w, setup.Find(w, brought.SkillPaths(s, w)), permissions.Read(w), configured, hooks.Find(w), sharedNotes(s, f.Notes(p.Home, w.Workspace)))
}

// trust gathers the rules, skills, commands, servers, hooks and notes that need consent.
func (p *Process) trust(w source.Where, callable setup.Set, rules permissions.Rules, configured servers.Listing, found hooks.Listing, notes []consent.Item) *consent.Trust {
	offered, ignored := gates.Offered(rules)
	return consent.Find(w, p.Now, slices.Concat(
		offered,
		brought.Grants(callable),
		serving.Items(configured),
		gates.Items(found),
		agentItems(Agents(w)),
		notes,
	), append(ignored, imports.Unread(w)...))
}

// findTrust finds the things that need consent, and adds notices about things that are not used
// without it.
func (c *Conversation) findTrust() error {
	if c.options.NoSetup {
		c.Trust = consent.Find(c.host.Where, c.process.Now, nil, nil)
		return nil
	}
	c.Trust = c.process.trust(c.host.Where, c.Brought.Set(), c.Rules.Rules, c.configured.Listing, c.Hooking.Listing, sharedNotes(c.settings, c.notes.book))
	c.notes.trust = c.Trust
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

// useAgreed applies the items that the person has agreed to, now and after each answer.
func (c *Conversation) useAgreed() {
	use := func() {
		var allowed rules.Rules
		for _, r := range c.Trust.Agreed() {
			if r.Kind == consent.Allow {
				allowed = append(allowed, c.host.InOurRules(r.Effects.Texts(effect.Rule))...)
			}
		}
		c.consent.SetAgreed(allowed)
		guarded := c.Trust.Guarded()
		c.guarded.Store(&guarded)
		c.Servers.UseAgreed()
		c.notes.useAgreed()
	}
	use()
	c.Trust.Answered = use
}

// isGuarded reports whether a file belongs to an item that the person agreed to. Such a file must
// not change without the person.
func (c *Conversation) isGuarded(abs string) bool {
	return slices.ContainsFunc(c.guardedPaths(), func(path string) bool { return disk.Within(path, abs) })
}

func (c *Conversation) guardedPaths() []string {
	if paths := c.guarded.Load(); paths != nil {
		return *paths
	}
	return nil
}
