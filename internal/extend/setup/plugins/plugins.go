// Package plugins reads plugin folders, which contain .claude-plugin/plugin.json, and stores the
// plugins that a user has added. A plugin provides skills, commands, subagents, hooks and MCP
// servers. The package runs nothing of a plugin; Fetch runs git.
//
// A Store has a list of plugins, and a folder for each plugin and commit. Where returns the paths
// in each plugin that other packages search. The hooks, servers and subagents that they find there
// require consent.
package plugins

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/lazyregexp"
	"agent/internal/base/rawjson"
	"agent/internal/extend/setup/trustedfile"
)

// A Plugin is a plugin that the user has added.
type Plugin struct {
	Name string `json:"name"`
	// Repository is the repository as the user named it. Path is the folder of the plugin in it, ""
	// for its root. Commit is the full ID of the commit in use.
	Repository  string `json:"repository"`
	Path        string `json:"path,omitempty"`
	Commit      string `json:"commit"`
	Description string `json:"description,omitempty"`
	Version     string `json:"version,omitempty"`
}

// Store is the folder of the plugins of a user.
type Store struct{ Folder string }

type list struct {
	Plugins []Plugin `json:"plugins"`
}

func (s Store) file() string { return filepath.Join(s.Folder, "plugins.json") }

// Dir returns the folder of a plugin. Each commit has a separate folder, so that another commit
// does not change approved content. Older versions of the program named the folder by the start of
// the commit ID.
func (s Store) Dir(p Plugin) string {
	const beginning = 12
	if before := filepath.Join(s.Folder, p.Name, p.Commit[:beginning]); !isFolder(s.whole(p)) && isFolder(before) {
		return before
	}
	return s.whole(p)
}

// whole returns the folder of a plugin that is named by its full commit ID.
func (s Store) whole(p Plugin) string { return filepath.Join(s.Folder, p.Name, p.Commit) }

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// List returns the plugins in the order in which they were added.
func (s Store) List() ([]Plugin, error) {
	read, err := rawjson.ReadShared[list](s.file())
	if err != nil {
		return nil, fmt.Errorf("can't read the plugins of %s: %w", s.file(), fsutil.Reason(err))
	}
	return slices.DeleteFunc(read.Plugins, func(p Plugin) bool { return !names.MatchString(p.Name) || !commits.MatchString(p.Commit) }), nil
}

// ByName returns the plugin with a name.
func (s Store) ByName(name string) (Plugin, error) {
	all, err := s.List()
	if err != nil {
		return Plugin{}, err
	}
	var known []string
	for _, p := range all {
		if p.Name == name {
			return p, nil
		}
		known = append(known, p.Name)
	}
	if known == nil {
		return Plugin{}, fmt.Errorf("no plugin %q: no plugin is installed", name)
	}
	return Plugin{}, fmt.Errorf("no plugin %q. Installed: %s", name, strings.Join(known, ", "))
}

// Save lists a plugin whose folder exists. It replaces another commit of the plugin and removes that
// commit's folder.
func (s Store) Save(p Plugin) error {
	var before []Plugin
	err := rawjson.ChangeShared(s.file(), func(l *list) {
		before = slices.Clone(l.Plugins)
		if i := slices.IndexFunc(l.Plugins, func(other Plugin) bool { return other.Name == p.Name }); i >= 0 {
			l.Plugins[i] = p
		} else {
			l.Plugins = append(l.Plugins, p)
		}
	})
	for _, old := range before {
		if err == nil && old.Name == p.Name && old.Commit != p.Commit {
			err = os.RemoveAll(s.Dir(old))
		}
	}
	return err
}

// Remove removes a plugin from the list and removes its folder.
func (s Store) Remove(p Plugin) error {
	if err := rawjson.ChangeShared(s.file(), func(l *list) {
		l.Plugins = slices.DeleteFunc(l.Plugins, func(other Plugin) bool { return other.Name == p.Name })
	}); err != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(s.Folder, p.Name))
}

// Locations returns the paths of all plugins, and a line for each plugin that cannot be read.
func (s Store) Locations() (all []trustedfile.Plugin, problems []string) {
	list, err := s.List()
	if err != nil {
		return nil, []string{err.Error()}
	}
	for _, p := range list {
		_, where, err := Read(s.Dir(p), p.Name)
		if err != nil {
			problems = append(problems, fmt.Sprintf("plugin %s is not used: %v", p.Name, err))
			continue
		}
		all = append(all, where)
	}
	return all, problems
}

// names matches the names of plugins. commits matches full commit IDs.
var (
	names   = lazyregexp.New(`^[a-z0-9][a-z0-9._-]{0,63}$`)
	commits = lazyregexp.New(`^[0-9a-f]{40,64}$`)
	// commitIDs matches full and abbreviated commit IDs. A branch with such a name would be
	// mistaken for the commit, but its owner can move it.
	commitIDs = lazyregexp.New(`^[0-9a-f]{7,64}$`)
)

type paths []string

// UnmarshalJSON implements json.Unmarshaler. Any value other than a string or a list of strings is
// ignored.
func (p *paths) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*p = paths{one}
		return nil
	}
	_ = json.Unmarshal(data, (*[]string)(p)) // hooks and servers may be written inline
	return nil
}

type manifest struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Version     string `json:"version"`
	Skills      paths  `json:"skills"`
	Commands    paths  `json:"commands"`
	Agents      paths  `json:"agents"`
	Hooks       paths  `json:"hooks"`
	Servers     paths  `json:"mcpServers"`
}

const manifestFile = ".claude-plugin/plugin.json"

// Read reads the manifest of a plugin and returns the paths in it. otherwise is the name of a
// plugin without a manifest. If otherwise is "", a missing manifest is an error.
func Read(dir, otherwise string) (Plugin, trustedfile.Plugin, error) {
	where := trustedfile.Plugin{Dir: dir}
	from := where.ReadScope("")
	data, err := from.ReadSettings(filepath.Join(dir, manifestFile), trustedfile.MaxSettings)
	var m manifest
	switch {
	case err != nil:
	case data == nil && otherwise == "":
		err = errors.New("it has no " + manifestFile)
	case data == nil:
		m.Name = otherwise
	default:
		if err = json.Unmarshal(data, &m); err != nil {
			err = fmt.Errorf("%s: %w", manifestFile, err)
		}
	}
	if _, statErr := os.Stat(dir); err == nil && statErr != nil {
		err = fmt.Errorf("its folder %s is missing; add the plugin again", dir)
	}
	if err == nil && !names.MatchString(m.Name) {
		err = fmt.Errorf("invalid name %q. Use lowercase letters, digits, dots and dashes", m.Name)
	}
	if err != nil {
		return Plugin{}, where, err
	}
	at := func(usual string, further paths) (all []string) {
		for _, path := range append(paths{usual}, further...) {
			local := filepath.FromSlash(strings.TrimPrefix(path, "./"))
			if filepath.IsLocal(local) {
				all = append(all, filepath.Join(dir, local))
			} else {
				where.Skipped = append(where.Skipped, path+" of "+manifestFile+" is outside the plugin")
			}
		}
		return all
	}
	where.Name = m.Name
	where.Skills, where.Commands, where.Agents = at("skills", m.Skills), at("commands", m.Commands), at("agents", m.Agents)
	// Hooks and servers may also be in the manifest itself.
	where.Hooks, where.Servers = at("hooks/hooks.json", m.Hooks), at(".mcp.json", m.Servers)
	if len(m.Hooks) == 0 {
		where.Hooks = append(where.Hooks, filepath.Join(dir, manifestFile))
	}
	var inline struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	if json.Unmarshal(data, &inline) == nil && len(inline.Servers) > 0 {
		where.Servers = append(where.Servers, filepath.Join(dir, manifestFile))
	}
	return Plugin{Name: m.Name, Description: m.Description, Version: m.Version}, where, nil
}
