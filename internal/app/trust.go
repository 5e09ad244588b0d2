package app

import (
	"slices"
	"sync/atomic"

	"agent/internal/app/brought"
	"agent/internal/app/gates"
	"agent/internal/app/serving"
	"agent/internal/disk"
	"agent/internal/settings"
	"agent/internal/setup"
	"agent/internal/setup/consent"
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

// guarded has the paths of the files that agreed items are written in and run, and of the programs of
// servers in the workspace. Such a file must not change without the person. The zero value guards none.
type guarded struct {
	paths    atomic.Pointer[[]string]
	programs []string
}

// holds reports whether a file is guarded.
func (g *guarded) holds(abs string) bool {
	return slices.ContainsFunc(slices.Concat(g.all(), g.programs), func(path string) bool { return disk.Within(path, abs) })
}

func (g *guarded) all() []string {
	if paths := g.paths.Load(); paths != nil {
		return *paths
	}
	return nil
}
