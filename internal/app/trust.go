package app

import (
	"slices"
	"sync/atomic"

	"agent/internal/app/extensions"
	"agent/internal/app/hookgates"
	"agent/internal/app/mcphost"
	"agent/internal/app/sessionnotes"
	"agent/internal/base/fsutil"
	"agent/internal/extend/setup"
	"agent/internal/extend/setup/consent"
	"agent/internal/extend/setup/hooks"
	"agent/internal/extend/setup/imports"
	"agent/internal/extend/setup/permissions"
	"agent/internal/extend/setup/servers"
	"agent/internal/extend/setup/trustedfile"
	"agent/internal/settings"
)

// TrustedLocations returns the configuration folders of a workspace, without symbolic links.
func (p *Process) TrustedLocations(f Folders, workspace string) trustedfile.Locations {
	w := trustedfile.Locations{Config: f.Config, Home: p.Home, Workspace: workspace}
	w.Plugins, _ = f.Plugins().Locations() // agent plugin list and agent doctor report problems
	for _, folder := range []*string{&w.Home, &w.Workspace} {
		if *folder != "" {
			*folder = fsutil.ResolveLinks(*folder)
		}
	}
	return w
}

// Trust returns the items in a folder that need consent, without a conversation.
func (p *Process) Trust(f Folders, s *settings.Settings, workspace string) *consent.Trust {
	w := p.TrustedLocations(f, workspace)
	configured, _ := servers.Find(servers.Locations{Locations: w}) // only --mcp-config causes an error
	return p.trust(w, setup.Find(w, extensions.SkillPaths(s, w)), permissions.Read(w), configured, hooks.Find(w), sessionnotes.ConsentItems(s, sessionnotes.Open(f.Config, p.Home, w.Workspace)))
}

// trust collects the rules, skills, commands, servers, hooks and notes that need consent.
func (p *Process) trust(w trustedfile.Locations, callable setup.Set, rules permissions.Rules, configured servers.Listing, found hooks.Listing, notes []consent.Item) *consent.Trust {
	offered, ignored := hookgates.OfferedRuleItems(rules)
	return consent.Find(w, p.Now, slices.Concat(
		offered,
		extensions.Grants(callable),
		mcphost.ConsentItems(configured),
		hookgates.ConsentItems(found),
		agentItems(FindAgents(w)),
		notes,
	), append(ignored, imports.UnreadFilesNote(w)...))
}

// guarded holds the paths of the files that approved items are written in and run, and of the programs of
// servers in the workspace. Such a file must not change without the user. The zero value guards no files.
type guarded struct {
	paths    atomic.Pointer[[]string]
	programs []string
}

func (g *guarded) holds(abs string) bool {
	return slices.ContainsFunc(slices.Concat(g.all(), g.programs), func(path string) bool { return fsutil.Within(path, abs) })
}

func (g *guarded) all() []string {
	if paths := g.paths.Load(); paths != nil {
		return *paths
	}
	return nil
}
