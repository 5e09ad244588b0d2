package imports

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"agent/internal/extend/setup/trustedfile"

	"github.com/BurntSushi/toml"
	"github.com/tailscale/hujson"
)

// maxFile is the greatest size of a file, in bytes. It is large because Claude Code stores its
// history in such a file.
const maxFile = 32 << 20

// file is a file of another coding agent.
type file struct {
	// path begins with ~/ for the home folder, or with + for the folder of configurations. Any
	// other path is relative to the workspace.
	path string
	// servers is the name of the member with the servers, empty for none.
	servers string
	// more plans the import of the other members. It may be nil.
	more func(p *planner, from string, members map[string]json.RawMessage)
}

// origin is a coding agent whose configuration can be imported.
type origin struct {
	name    string
	files   []file
	dialect dialect
	folders folders
	// more lists further files and folders of a workspace by which the coding agent runs or allows
	// something. They cannot be imported.
	more []string
}

var sources = []origin{
	{"claude", []file{
		{path: "~/.claude.json", servers: "mcpServers", more: (*planner).claudeProject},
		{path: "~/.claude/settings.json", more: (*planner).claudeSettings},
	}, dialect{}, folders{
		commands: []string{"~/.claude/commands"}, skills: []string{"~/.claude/skills"}, agents: []string{"~/.claude/agents", ".claude/agents"},
	}, nil},
	{"claude-desktop", []file{
		{path: "+Claude/claude_desktop_config.json", servers: "mcpServers"},
		{path: "~/Library/Application Support/Claude/claude_desktop_config.json", servers: "mcpServers"},
	}, dialect{literal: true}, folders{}, nil},
	{"codex", []file{
		{path: "~/.codex/config.toml", servers: "mcp_servers", more: (*planner).codexSettings},
		{path: "~/.codex/hooks.json", more: (*planner).hooksOf},
		{path: ".codex/config.toml", servers: "mcp_servers"},
	}, dialect{literal: true}, folders{
		commands: []string{"~/.codex/prompts"}, skills: []string{"~/.codex/skills"}, agents: []string{"~/.codex/agents", ".codex/agents"},
	}, []string{".codex/rules"}},
	{"gemini", []file{
		{path: "~/.gemini/settings.json", servers: "mcpServers", more: (*planner).geminiSettings},
		{path: ".gemini/settings.json", servers: "mcpServers"},
	}, dialect{dollar: true, urlIsSSE: true}, folders{
		commands: []string{"~/.gemini/commands"}, others: []string{"~/.gemini/skills"}, agents: []string{"~/.gemini/agents", ".gemini/agents"},
	}, []string{".gemini/extensions"}},
	{"opencode", []file{
		{path: "+opencode/opencode.json", servers: "mcp", more: (*planner).opencodeSettings},
		{path: "+opencode/opencode.jsonc", servers: "mcp", more: (*planner).opencodeSettings},
		{path: "opencode.json", servers: "mcp"},
	}, dialect{literal: true}, folders{
		commands: []string{"+opencode/command", "+opencode/commands"}, others: []string{"+opencode/skill", "+opencode/skills"},
		agents: []string{"~/.opencode/agent", "~/.opencode/agents", ".opencode/agent", ".opencode/agents"}, otherAgents: []string{"+opencode/agent", "+opencode/agents"},
	}, []string{
		"opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc", ".opencode/plugin", ".opencode/plugins", ".opencode/tool", ".opencode/tools",
	}},
	{"crush", []file{
		{path: "+crush/crush.json", servers: "mcp", more: (*planner).otherSettings},
		{path: "crush.json", servers: "mcp"},
	}, dialect{dollar: true, seconds: true}, folders{commands: []string{"+crush/commands"}, others: []string{"+crush/skills"}}, []string{".crush.json"}},
	{"cursor", []file{
		{path: "~/.cursor/mcp.json", servers: "mcpServers"},
		{path: ".cursor/mcp.json", servers: "mcpServers"},
	}, dialect{}, folders{others: []string{"~/.cursor/skills"}, otherAgents: []string{"~/.cursor/agents", ".cursor/agents"}}, []string{".cursor/hooks.json", ".cursor/cli.json"}},
	{"vscode", []file{{path: ".vscode/mcp.json", servers: "servers"}}, dialect{}, folders{}, nil},
	{"windsurf", []file{{path: "~/.codeium/windsurf/mcp_config.json", servers: "mcpServers"}}, dialect{}, folders{}, nil},
}

// UnreadFilesNote returns at most one line. It names the files of a workspace by which other coding agents
// run, reach or allow something. This program ignores these files.
func UnreadFilesNote(place trustedfile.Locations) []string {
	w := Locations{Locations: place, Base: place.Home}
	if w.Workspace == w.Home {
		return nil
	}
	var found []string
	for _, s := range sources {
		names := s.more
		for _, f := range s.files {
			names = append(names[:len(names):len(names)], f.path)
		}
		for _, name := range names {
			path, own := w.path(name)
			if own {
				continue
			}
			if _, err := os.Stat(path); err == nil {
				found = append(found, name)
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	return []string{strings.Join(found, ", ") + ": configuration of other coding agents. To list and import it, run: agent import"}
}

// SourceNames lists the coding agents whose configuration can be imported.
func SourceNames() []string {
	names := make([]string, len(sources))
	for i, s := range sources {
		names[i] = s.name
	}
	return names
}

// path returns the full path of a file or folder of a source. own reports whether it belongs to the
// user rather than to the workspace.
func (w Locations) path(path string) (full string, own bool) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(w.Home, rest), true
	}
	if rest, ok := strings.CutPrefix(path, "+"); ok {
		return filepath.Join(w.Base, rest), true
	}
	return filepath.Join(w.Workspace, path), false
}

// source plans the import of a coding agent's configuration.
func (p *planner) source(s origin) {
	for _, f := range s.files {
		path, own := p.where.path(f.path)
		if !own && (p.where.Workspace == "" || p.where.Workspace == p.where.Home) {
			continue
		}
		members, err := p.members(path, own)
		switch {
		case err != nil:
			p.skipUnreadable(path, f, err)
			continue
		case members == nil:
			continue
		}
		if raw := members[f.servers]; f.servers != "" && raw != nil && p.wants(KindServers) {
			p.serversOf(s, path, own, raw)
		}
		if f.more != nil {
			f.more(p, path, members)
		}
	}
	p.inFolders(s.folders)
}

// skipUnreadable adds a skipped change for a file that cannot be read.
func (p *planner) skipUnreadable(path string, f file, err error) {
	kind := KindServers
	if f.servers == "" {
		kind = KindHooks
	}
	p.skip(kind, filepath.Base(path), path, strings.TrimPrefix(err.Error(), path+": "))
}

// members returns the members of the object in a file. It returns nil for a missing file.
func (p *planner) members(path string, own bool) (map[string]json.RawMessage, error) {
	place := trustedfile.ReadScope{Home: p.where.Home}
	if !own {
		place.Root = p.where.Workspace
	}
	data, err := place.ReadSettings(path, maxFile)
	if data == nil {
		return nil, err
	}
	if filepath.Ext(path) == ".toml" {
		data, err = fromTOML(data)
	} else {
		data, err = hujson.Standardize(data)
	}
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, errors.New("it must contain an object")
	}
	return members, nil
}

// fromTOML converts TOML to JSON. The error names the wrong line but does not quote it, because it
// may contain a key.
func fromTOML(data []byte) ([]byte, error) {
	var value map[string]any
	if err := toml.Unmarshal(data, &value); err != nil {
		var syntax toml.ParseError
		if errors.As(err, &syntax) {
			return nil, errors.New("it is not valid TOML: see line " + strconv.Itoa(syntax.Position.Line))
		}
		return nil, errors.New("it is not valid TOML")
	}
	return json.Marshal(value)
}
