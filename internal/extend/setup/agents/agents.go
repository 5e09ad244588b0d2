// Package agents finds the subagents to which a model can delegate a task: the built-in ones, and
// files of users and repositories. The files have the formats of Claude Code, opencode, gemini-cli,
// Copilot and codex. The package reads them and starts nothing.
//
//	set := agents.Find(trustedfile.Locations{Config: …, Home: …, Workspace: …})
//	agent, found := set.Named("explore")
package agents

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/base/suggest"
	"agent/internal/extend/setup/manifest"
	"agent/internal/extend/setup/trustedfile"
)

// The names of the built-in subagents.
const (
	ExploreAgent = "explore"
	GeneralAgent = "general"
)

// Origin is the kind of place in which a subagent is defined.
type Origin string

// The origins.
const (
	OriginBuiltIn Origin = "built in"
	OriginProject Origin = "project"
	OriginUser    Origin = "user"
	OriginPlugin  Origin = "plugin"
)

// An Agent is the definition of a subagent.
type Agent struct {
	Name, Description string
	Origin            Origin
	// File is the path of the subagent's file, "" for a built-in subagent.
	File string
	// Prompt is the system prompt of the subagent.
	Prompt string
	// Tools lists the tools that the subagent may use, with the names of any coding agent; nil
	// means every tool. Without lists tools that it must not use.
	Tools, Without []string
	// Looks is set for a read-only subagent.
	Looks bool
	// Kind is the unchanged value of the field kind: "local", or "" if the file does not contain
	// it.
	Kind string
	// Model names a profile or a model, "" for the model of the conversation. Effort is the value
	// of reasoning.effort, "" for the value of the conversation.
	Model, Effort string
	// MaxTurns limits the requests; 0 means the limit of the settings. Timeout limits the time.
	MaxTurns int
	Timeout  time.Duration
	// Background is set for a subagent that runs in the background by default.
	Background bool
	// Skills lists skills whose texts precede the task.
	Skills []string
	// Unused lists the fields of the file that have no effect here.
	Unused []string
}

// Set holds the subagents of a workspace, sorted by name. Each name occurs once.
type Set struct {
	Agents []Agent
	// Skipped has a line for each file that is not offered, with the reason.
	Skipped []string
}

// maxFile is the greatest size of a subagent's file, in bytes.
const maxFile = 64 << 10

// The folders of subagents below a project folder or the home folder. Earlier folders take
// precedence.
var (
	folders     = []string{".agents/agents", ".claude/agents", ".opencode/agent", ".opencode/agents", ".gemini/agents", ".github/agents"}
	tomlFolders = []string{".codex/agents"}
)

// Find returns the subagents of the program, of a workspace and of its user. A file of the user may
// replace a built-in subagent; a file of a repository may not.
func Find(w trustedfile.Locations) Set {
	f := finder{named: map[string]Agent{}}
	f.place = trustedfile.ReadScope{Home: w.Home}
	f.origin = OriginUser
	if w.Config != "" {
		f.folder(filepath.Join(w.Config, "agents"), ".md")
	}
	f.below(w.Home)
	for _, agent := range builtIn {
		if _, taken := f.named[agent.Name]; !taken {
			f.named[agent.Name] = agent
		}
	}
	above := trustedfile.FoldersAbove(w.Home, w.Workspace)
	f.place.Root, f.origin = above[0], OriginProject
	for _, dir := range slices.Backward(above) {
		if dir != w.Home {
			f.below(dir)
		}
	}
	f.origin = OriginPlugin
	for _, plugin := range w.Plugins {
		f.place, f.prefix = plugin.ReadScope(w.Home), plugin.Name+":"
		for _, dir := range plugin.Agents {
			f.folder(dir, ".md")
		}
	}
	for _, agent := range f.named {
		f.Agents = append(f.Agents, agent)
	}
	slices.SortFunc(f.Agents, func(a, b Agent) int { return cmp.Compare(a.Name, b.Name) })
	return f.Set
}

// ByName returns the subagent with a name. The error lists the available subagents.
func (s Set) ByName(name string) (Agent, error) {
	var names []string
	for _, agent := range s.Agents {
		if agent.Name == name {
			return agent, nil
		}
		names = append(names, agent.Name)
	}
	return Agent{}, fmt.Errorf("no subagent %q%s (available: %s)", name, suggest.Question(name, names), strings.Join(names, ", "))
}

// Effects lists every field of a subagent's file that determines its text, its permissions or its
// limits. A change of any of them requires approval.
func (a Agent) Effects() manifest.List {
	all := manifest.List{{Name: "agent", Text: a.Name}}
	add := func(name string, texts ...string) {
		for _, text := range texts {
			if text != "" {
				all = append(all, manifest.Part{Name: name, Text: text})
			}
		}
	}
	add("description", a.Description)
	if a.Looks {
		add("mode", "read-only")
	} else {
		add("mode", "as in the conversation")
	}
	add("kind", a.Kind)
	add("model", a.Model)
	add("effort", a.Effort)
	switch {
	case a.Tools == nil:
		add("tools", "*")
	case len(a.Tools) == 0:
		add("tools", "none")
	}
	add("tools", a.Tools...)
	add("without", a.Without...)
	if a.MaxTurns > 0 {
		add("at most", humanize.Count(a.MaxTurns, "request"))
	}
	if a.Timeout > 0 {
		add("at most", a.Timeout.String())
	}
	if a.Background {
		add("runs", "in the background")
	}
	add("skills", a.Skills...)
	return append(all, manifest.Part{Name: "prompt", Text: a.Prompt})
}

// finder collects the subagents from folders.
type finder struct {
	Set
	place  trustedfile.ReadScope
	origin Origin
	// prefix is prepended to the names of the subagents in the current folder.
	prefix string
	named  map[string]Agent
}

// below reads the subagents in the known folders below dir.
func (f *finder) below(dir string) {
	if dir == "" {
		return
	}
	for _, name := range folders {
		f.folder(filepath.Join(dir, name), ".md")
	}
	for _, name := range tomlFolders {
		f.folder(filepath.Join(dir, name), ".toml")
	}
}

// maxFiles is the greatest number of files that are read from one folder. maxDepth is the greatest
// depth of nested folders.
const (
	maxFiles = 200
	maxDepth = 4
)

// folder reads the subagents of a folder and of the folders in it.
func (f *finder) folder(dir, ending string) {
	files := filesIn(dir, ending, maxDepth)
	for _, file := range files[:min(len(files), maxFiles)] {
		f.file(file, ending)
	}
	if more := len(files) - maxFiles; more > 0 {
		f.Skipped = append(f.Skipped, fmt.Sprintf("%s: %d files beyond the first %d are not read", dir, more, maxFiles))
	}
}

// filesIn returns the files in a folder with the extension ending, followed by the files of its
// subfolders. It follows no links to folders.
func filesIn(dir, ending string, depth int) (files []string) {
	entries, _ := os.ReadDir(dir) // a folder that cannot be read has no files
	var below []string
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		switch {
		case entry.IsDir() && depth > 1 && !strings.HasPrefix(entry.Name(), "."):
			below = append(below, filesIn(path, ending, depth-1)...)
		case !entry.IsDir() && filepath.Ext(path) == ending:
			files = append(files, path)
		}
	}
	return append(files, below...)
}

// nameOf returns the name of a subagent whose file does not contain a name. For opencode and
// Copilot it is derived from the file name. Otherwise it returns "".
func nameOf(file string) string {
	folder := filepath.ToSlash(filepath.Dir(file))
	if !strings.Contains(folder, "/.opencode/") && !strings.Contains(folder+"/", "/.github/agents/") {
		return ""
	}
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".md"), ".agent")
}

// file reads the subagent of a file. If the file cannot be used, it records the reason.
func (f *finder) file(file, ending string) {
	text, err := f.place.Read(file, maxFile)
	if trustedfile.IsMissing(err) {
		return
	}
	var agent Agent
	switch {
	case err != nil:
	case text.Cut:
		err = fmt.Errorf("is longer than %d KiB", maxFile>>10)
	case ending == ".toml":
		agent, err = parseTOML(text.Text)
	default:
		agent, err = parse(text.Text, nameOf(file))
	}
	if err == nil {
		agent.Name, agent.File, agent.Origin = f.prefix+agent.Name, file, f.origin
		if earlier, taken := f.named[agent.Name]; taken {
			by := earlier.File
			if by == "" {
				by = "the built-in subagent"
			}
			err = fmt.Errorf("its name %s is already used by %s", agent.Name, by)
		}
	}
	if err != nil {
		f.Skipped = append(f.Skipped, file+": "+strings.TrimPrefix(err.Error(), file+": "))
		return
	}
	f.named[agent.Name] = agent
}
