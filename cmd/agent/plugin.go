package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/base/rawjson"
	"agent/internal/extend/setup"
	agentfiles "agent/internal/extend/setup/agents"
	"agent/internal/extend/setup/hooks"
	"agent/internal/extend/setup/plugins"
	"agent/internal/extend/setup/servers"
	"agent/internal/extend/setup/trustedfile"
	"agent/internal/frontend/cli"

	"github.com/spf13/cobra"
)

func newPlugin(w world) *cobra.Command {
	group := &cobra.Command{
		Use:   "plugin",
		Short: "Add, update and remove plugins",
		Long: `A plugin is a folder with .claude-plugin/plugin.json. It contains skills, commands, subagents,
hooks and MCP servers, fixed at one commit. Its hooks, servers and subagents need your
approval, and so do skills and commands with permissions. You approve them at the start of a
session or with agent trust.

	agent plugin add OWNER/NAME@COMMIT
	agent plugin add https://example.com/tools.git formatter
	agent plugin list --json
	agent plugin update formatter
	agent plugin remove formatter

A repository with a marketplace.json can have several plugins. To list them, add it without a
plugin name.`,
		Args: cli.NoSubcommand, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var yes, asJSON bool
	update := &cobra.Command{
		Use: "update NAME[@COMMIT]", Short: "Show the changes of a plugin, and update it if you approve",
		Example: "  agent plugin update formatter\n  agent plugin update formatter --yes",
		Args:    cli.ExactArgs(1, "the name of a plugin"),
		RunE:    func(cmd *cobra.Command, args []string) error { return updatePlugin(cmd.Context(), w, args[0], yes) },
	}
	update.Flags().BoolVar(&yes, "yes", false, "update without asking")
	shown := &cobra.Command{
		Use: "list", Short: "List the plugins with commits and contents", Args: cli.ExactArgs(0, "no arguments"),
		Example: "  agent plugin list\n  agent plugin list --json",
		RunE:    func(*cobra.Command, []string) error { return listPlugins(w, asJSON) },
	}
	shown.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	group.AddCommand(
		&cobra.Command{
			Use: "add REPO[@COMMIT] [NAME]", Short: "Add a plugin from a repository, or list its plugins",
			Example: "  agent plugin add ./tools\n  agent plugin add https://example.com/tools.git formatter",
			Args:    cli.CountedArgs(1, 2, "a repository, and the name of a plugin if the repository has several"),
			RunE: func(cmd *cobra.Command, args []string) error {
				return addPlugin(cmd.Context(), w, args[0], strings.Join(args[1:], ""))
			},
		},
		shown,
		update,
		&cobra.Command{
			Use: "remove NAME", Short: "Remove a plugin", Args: cli.ExactArgs(1, "the name of a plugin"),
			Example: "  agent plugin remove formatter",
			RunE: func(_ *cobra.Command, args []string) error {
				store, p, err := w.plugin(args[0])
				if err == nil {
					err = store.Remove(p)
				}
				if err != nil {
					return err
				}
				return w.print("The plugin " + p.Name + " is removed.")
			},
		},
	)
	return group
}

// plugin returns the plugin with a name, and the store that contains it.
func (w world) plugin(name string) (plugins.Store, plugins.Plugin, error) {
	f, err := w.process.Folders()
	if err != nil {
		return plugins.Store{}, plugins.Plugin{}, err
	}
	p, err := f.Plugins().ByName(name)
	if err != nil {
		err = usage(err)
	}
	return f.Plugins(), p, err
}

// addPlugin adds the plugin of a repository. name selects a plugin if the repository has several.
func addPlugin(ctx context.Context, w world, from, name string) error {
	f, err := w.process.Folders()
	if err != nil {
		return err
	}
	repository, commit := plugins.SplitCommit(from)
	if info, err := os.Stat(w.process.Path(repository)); err == nil && info.IsDir() {
		repository = w.process.Path(repository)
	}
	fetched, err := plugins.Fetch(ctx, w.process.Environ, repository, commit)
	if err != nil {
		return err
	}
	defer fetched.Close()
	p, leftOut, err := chosenPlugin(ctx, w, fetched, name)
	if err != nil || p.Name == "" {
		return err
	}
	p.Repository = repository
	store := f.Plugins()
	if old, err := store.ByName(p.Name); err == nil && old.Repository != p.Repository {
		return usage(fmt.Errorf("can't add the plugin %s: a plugin of %s has this name. To remove that plugin, run: agent plugin remove %[1]s", p.Name, old.Repository))
	} else if err == nil && old.Commit != p.Commit {
		return usage(fmt.Errorf("can't add the plugin %s: it is already installed at commit %s. Run: agent plugin update %[1]s@%s", p.Name, old.Commit[:10], p.Commit[:10]))
	}
	if err := store.Install(ctx, fetched, p); err != nil {
		return fmt.Errorf("can't store the plugin %s: %w", p.Name, err)
	}
	if err := store.Save(p); err != nil {
		return err
	}
	return w.print(slices.Concat(pluginLines(store, p), leftOut, []string{"Hooks, servers and subagents need your approval. Run: agent trust"})...)
}

// chosenPlugin writes the plugin of a fetched repository to its folder there. It returns the plugin with a
// line for each omitted file. If there are several and none is named, it prints them and returns the zero
// Plugin.
func chosenPlugin(ctx context.Context, w world, fetched plugins.FetchedCommit, name string) (p plugins.Plugin, leftOut []string, err error) {
	offers, err := plugins.ReadMarketplace(fetched.Dir)
	if err != nil {
		return plugins.Plugin{}, nil, err
	}
	if p, _, err := plugins.Read(fetched.Dir, ""); err == nil && (name == "" || name == p.Name) {
		return readFetched(ctx, fetched, "", p.Name)
	} else if len(offers) == 0 {
		what := "a plugin"
		if name != "" {
			what += fmt.Sprintf(" named %q", name)
		}
		return plugins.Plugin{}, nil, usage(fmt.Errorf("the repository is not %s: %w", what, err))
	}
	if name == "" {
		lines := []string{"The repository has these plugins. Name one:"}
		for _, o := range offers {
			lines = append(lines, "  "+o.String())
		}
		return plugins.Plugin{}, nil, w.print(lines...)
	}
	i := slices.IndexFunc(offers, func(o plugins.MarketplaceEntry) bool { return o.Name == name })
	switch {
	case i < 0:
		return plugins.Plugin{}, nil, usage(fmt.Errorf("the repository has no plugin %q. To list its plugins, leave out the name of the plugin", name))
	case offers[i].Elsewhere != "":
		return plugins.Plugin{}, nil, usage(fmt.Errorf("can't add the plugin %s: it is in another repository. Run: agent plugin add %s", name, offers[i].Elsewhere))
	}
	if p, leftOut, err = readFetched(ctx, fetched, offers[i].Path, name); err != nil {
		err = usage(fmt.Errorf("can't use the plugin %s: %w", name, err))
	}
	return p, leftOut, err
}

// readFetched writes a plugin to its folder in a fetched repository and reads it there.
func readFetched(ctx context.Context, fetched plugins.FetchedCommit, folder, name string) (p plugins.Plugin, leftOut []string, err error) {
	if folder == "." { // the root of the repository
		folder = ""
	}
	at := filepath.Join(fetched.Dir, filepath.FromSlash(folder))
	left, err := fetched.Write(ctx, folder, at)
	if _, statErr := os.Stat(at); err == nil && statErr != nil {
		err = fmt.Errorf("commit %s has no folder %s", fetched.Commit[:10], humanize.FileName(folder))
	}
	if err == nil {
		p, _, err = plugins.Read(at, name)
	}
	for _, line := range left {
		leftOut = append(leftOut, "  left out: "+line)
	}
	p.Path, p.Commit = folder, fetched.Commit
	return p, leftOut, err
}

// updatePlugin prints the difference between two commits of a plugin, and installs the new commit if the
// user agrees.
func updatePlugin(ctx context.Context, w world, name string, yes bool) error {
	name, commit := plugins.SplitCommit(name)
	store, old, err := w.plugin(name)
	if err != nil {
		return err
	}
	fetched, err := plugins.Fetch(ctx, w.process.Environ, old.Repository, commit)
	if err != nil {
		return err
	}
	defer fetched.Close()
	if fetched.Commit == old.Commit {
		return w.print(fmt.Sprintf("The plugin %s is up to date (commit %s).", old.Name, old.Commit[:10]))
	}
	p, leftOut, err := readFetched(ctx, fetched, old.Path, old.Name)
	if err == nil && p.Name != old.Name {
		err = fmt.Errorf("its name has changed to %s", p.Name)
	}
	if err != nil {
		return fmt.Errorf("can't use commit %s of the plugin %s: %w", fetched.Commit[:10], old.Name, err)
	}
	p.Repository = old.Repository
	difference, err := plugins.Diff(store.Dir(old), filepath.Join(fetched.Dir, filepath.FromSlash(p.Path)))
	if err != nil {
		return err
	}
	lines := []string{fmt.Sprintf("%s, from commit %s to %s:", p.Name, old.Commit[:10], p.Commit[:10])}
	if difference != "" {
		lines = append(lines, strings.Split(strings.TrimSuffix(difference, "\n"), "\n")...)
	}
	if err := printLines(w, append(lines, leftOut...)); err != nil {
		return err
	}
	if ask := askOnTerminal(w); !yes && ask != nil {
		if yes, err = ask(ctx, "Use this?"); err != nil {
			return err
		}
	}
	if !yes {
		return w.print("Not updated. To update, add --yes, or answer y in a terminal.")
	}
	if err := store.Install(ctx, fetched, p); err != nil {
		return err
	}
	if err := store.Save(p); err != nil {
		return err
	}
	return w.print(append(pluginLines(store, p), "Changed hooks, servers and subagents need your approval again. Run: agent trust")...)
}

func listPlugins(w world, asJSON bool) error {
	f, err := w.process.Folders()
	if err != nil {
		return err
	}
	all, err := f.Plugins().List()
	if err != nil {
		return err
	}
	if asJSON {
		return rawjson.WriteIndented(w.out, append([]plugins.Plugin{}, all...))
	}
	if len(all) == 0 {
		return w.print("No plugins. Add one: agent plugin add REPO")
	}
	var lines []string
	for _, p := range all {
		lines = append(lines, pluginLines(f.Plugins(), p)...)
	}
	return w.print(lines...)
}

// pluginLines describes a plugin, with its skills, commands, agents, hooks and servers.
func pluginLines(store plugins.Store, p plugins.Plugin) []string {
	from := p.Repository
	if p.Path != "" {
		from += ", folder " + p.Path
	}
	lines := []string{humanize.Line(fmt.Sprintf("%s %s  commit %s of %s", p.Name, p.Version, p.Commit[:10], from), 0)}
	if p.Description != "" {
		lines = append(lines, "  "+humanize.Line(p.Description, 200))
	}
	_, where, err := plugins.Read(store.Dir(p), p.Name)
	if err != nil {
		return append(lines, "  not used: "+err.Error())
	}
	nowhere := filepath.Join(where.Dir, ".git") // Take copies no .git folder
	w := trustedfile.Locations{Config: nowhere, Workspace: nowhere, Plugins: []trustedfile.Plugin{where}}
	add := func(what string, names, leftOut []string) {
		if len(names) > 0 {
			lines = append(lines, "  "+what+": "+humanize.Line(strings.Join(names, ", "), 0))
		}
		for _, left := range leftOut {
			lines = append(lines, "  left out: "+humanize.Line(left, 300))
		}
	}
	add("", nil, where.Skipped)
	set, entry := setup.Find(w, nil), func(e *setup.Entry) string { return e.Name }
	add("skills", namesOf(set.Skills.Entries, entry), set.Skills.Skipped)
	add("commands", namesOf(set.Commands.Entries, entry), set.Commands.Skipped)
	team := agentfiles.Find(w)
	team.Agents = slices.DeleteFunc(team.Agents, func(a agentfiles.Agent) bool { return a.Origin != agentfiles.OriginPlugin })
	add("agents", namesOf(team.Agents, func(a agentfiles.Agent) string { return a.Name }), team.Skipped)
	found := hooks.Find(w)
	add("hooks", namesOf(found.Hooks, hooks.Hook.String), found.Skipped)
	configured, err := servers.Find(servers.Locations{Locations: w})
	if err != nil {
		return append(lines, "  "+err.Error())
	}
	add("servers", namesOf(configured.Servers, func(s *servers.Server) string { return s.Name }), configured.Problems)
	return lines
}

func namesOf[T any](all []T, name func(T) string) (names []string) {
	for _, one := range all {
		names = append(names, name(one))
	}
	return names
}
