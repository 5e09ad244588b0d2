package app

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/disk"
	"agent/internal/rules"
	"agent/internal/settings"
	"agent/internal/setup"
	"agent/internal/setup/commands"
	"agent/internal/setup/consent"
	"agent/internal/setup/hooks"
	"agent/internal/setup/permissions"
	"agent/internal/setup/servers"
	"agent/internal/setup/skills"
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
		func(consent.Where) trust.Found { return offered(s.rules) },
		func(consent.Where) trust.Found { return grantsOf(s.callable) },
		func(consent.Where) trust.Found { return serverItems(s.servers) },
		func(consent.Where) trust.Found { return hooksOf(s.hooks) },
	}
}

// Trust finds what needs consent in a folder, without a conversation.
func (p *Process) Trust(f Folders, s *settings.Settings, workspace string) *trust.Trust {
	home, workspace := realPath(p.Home), realPath(workspace)
	brought := setup.Set{
		Skills:   skills.Find(skills.Where{Config: f.Config, Home: p.Home, Workspace: workspace, Further: p.skillPaths(s, workspace)}),
		Commands: commands.Find(commands.Where{Config: f.Config, Home: p.Home, Workspace: workspace}),
	}
	configured, _ := servers.Find(servers.Where{Config: f.Config, Home: p.Home, Workspace: workspace}) // only --mcp-config gives an error
	return p.trust(f, workspace, suggested{
		brought, permissions.Read(permissions.Where{Home: home, Workspace: workspace}), configured,
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
		c.trust = trust.Find(consent.Where{Config: c.folders.Config, Home: c.process.Home, Workspace: c.workspace.Root()}, c.process.Now)
		return nil
	}
	c.trust = c.process.trust(c.folders, c.workspace.Root(), suggested{c.Brought(), c.permissions, c.configured.Found, c.foundHooks})
	if c.options.TrustProject {
		if err := c.trust.ForRun(); err != nil {
			return err
		}
	}
	for _, line := range c.trust.Ignored {
		c.Notices = append(c.Notices, "ignored: "+line)
	}
	if left := c.trust.Left(); left != "" && !c.options.AsksTrust {
		c.Notices = append(c.Notices, "agent: "+left)
	}
	return nil
}

// Trust is what the repository wants run, connected to or allowed, and what the person said
// of it.
func (c *Conversation) Trust() *trust.Trust { return c.trust }

// Brought are the skills and commands that can be called.
func (c *Conversation) Brought() setup.Set {
	if found := c.brought.Load(); found != nil {
		return *found
	}
	return setup.Set{}
}

// useAgreed has the conversation do what the person has agreed to, now and after each
// answer.
func (c *Conversation) useAgreed() {
	use := func() {
		var allowed rules.Rules
		for _, r := range c.trust.Agreed() {
			if texts, list := r.Fields.([]string); list && r.Kind == consent.Allow {
				allowed = append(allowed, c.inOurRules(texts)...)
			}
		}
		c.Chat.Consent().SetAgreed(allowed)
		guarded := c.trust.Guarded()
		c.guarded.Store(&guarded)
		c.useServers()
	}
	use()
	c.trust.OnAnswer(use)
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

// offered are the lists of rules of a repository, and what it may not set.
func offered(ruled permissions.Rules) trust.Found {
	found := trust.Found{Ignored: ruled.Ignored}
	for _, o := range ruled.Offered {
		var able, idle []string
		for _, text := range o.Rules {
			if len(InOurWords(text)) > 0 {
				able = append(able, text)
			} else {
				idle = append(idle, text)
			}
		}
		if len(able) == 0 {
			found.Ignored = append(found.Ignored, fmt.Sprintf("%s: permissions.allow has no effect here: %s", o.File, strings.Join(idle, ", ")))
			continue
		}
		item := consent.Item{Kind: consent.Allow, Name: "without asking", Fields: o.Rules, Says: strings.Join(able, ", "), File: o.File, Line: o.Line}
		if len(idle) > 0 {
			item.Says += " (no effect here: " + strings.Join(idle, ", ") + ")"
		}
		found.Items = append(found.Items, item)
	}
	return found
}

// grantsOf are the grants of skills and commands that need consent: those of a repository
// and of other programs' folders.
func grantsOf(brought setup.Set) trust.Found {
	var found trust.Found
	for _, s := range brought.Skills.Skills {
		if item, needs := grantsItem(setup.Entry{Skill: s}); needs {
			found.Items = append(found.Items, item)
		}
	}
	for _, one := range brought.Commands.Commands {
		if item, needs := grantsItem(setup.Entry{Command: one}); needs {
			found.Items = append(found.Items, item)
		}
	}
	return found
}

// grantsItem is what a skill or command grants, as an item; needs reports whether it grants
// anything and is not the person's own.
func grantsItem(e setup.Entry) (item consent.Item, needs bool) {
	name, allowed, own := "", []string(nil), false
	if e.Skill != nil {
		name, allowed, own = "skill "+e.Skill.Name, e.Skill.Allowed, e.Skill.Own
	} else {
		name, allowed, own = "command "+e.Command.Name, e.Command.Allowed, e.Command.Own
	}
	widens := slices.ContainsFunc(allowed, func(text string) bool { return len(InOurWords(text)) > 0 })
	return consent.Item{
		Kind: consent.Grants, Name: name, Fields: allowed, Says: "without asking while it runs: " + strings.Join(allowed, ", "),
		File: e.File(), User: e.Origin() == string(skills.User),
	}, widens && !own
}
