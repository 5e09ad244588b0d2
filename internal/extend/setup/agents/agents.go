// Package agents finds the agents to which a model can give a task: those of the program, and
// files of people and repositories in the forms of Claude Code, opencode, gemini-cli, Copilot and
// codex. It reads them and starts nothing.
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

// Names of the agents of the program.
const (
	Explore = "explore"
	General = "general"
)

// Origin says where an agent comes from.
type Origin string

// The origins.
const (
	BuiltIn Origin = "built in"
	Project Origin = "project"
	User    Origin = "user"
	Plugin  Origin = "plugin"
)

// An Agent is a kind of conversation that works on one task.
type Agent struct {
	Name, Description string
	Origin            Origin
	// File is the path of the agent's file, "" for an agent of the program.
	File string
	// Prompt tells the agent how to work.
	Prompt string
	// Tools lists the tools that the agent may use, in the names of any agent program; nil means
	// every tool. Without lists tools that it must not use.
	Tools, Without []string
	// Looks is set for an agent that changes nothing.
	Looks bool
	// Kind is the field kind as it is written: "local", or "" if the file does not say.
	Kind string
	// Model names a profile or a model, "" for the model of the conversation. Effort is the value
	// of reasoning.effort, "" for that of the conversation.
	Model, Effort string
	// MaxTurns limits the requests, 0 for the limit of the settings. Timeout limits the time.
	MaxTurns int
	Timeout  time.Duration
	// Background is set for an agent that runs in the background if the call does not say.
	Background bool
	// Skills lists skills whose texts stand before the task.
	Skills []string
	// Unused lists the fields of the file that have no effect here.
	Unused []string
}

// Set holds the agents of a workspace, each name once, sorted by name.
type Set struct {
	Agents []Agent
	// Skipped has a line for each file that is not offered, with the reason.
	Skipped []string
}

// maxFile limits the file of an agent, in bytes.
const maxFile = 64 << 10

// Folders of agents below a folder of the project or the home folder, the first counts first.
var (
	folders     = []string{".agents/agents", ".claude/agents", ".opencode/agent", ".opencode/agents", ".gemini/agents", ".github/agents"}
	tomlFolders = []string{".codex/agents"}
)

// Find returns the agents of the program, of a workspace and of its user. A user's file may take
// the name of an agent of the program; a repository's may not.
func Find(w trustedfile.Locations) Set {
	f := finder{named: map[string]Agent{}}
	f.place = trustedfile.Place{Home: w.Home}
	f.origin = User
	if w.Config != "" {
		f.folder(filepath.Join(w.Config, "agents"), ".md")
	}
	f.below(w.Home)
	for _, agent := range builtIn {
		if _, taken := f.named[agent.Name]; !taken {
			f.named[agent.Name] = agent
		}
	}
	above := trustedfile.Above(w.Home, w.Workspace)
	f.place.Root, f.origin = above[0], Project
	for _, dir := range slices.Backward(above) {
		if dir != w.Home {
			f.below(dir)
		}
	}
	f.origin = Plugin
	for _, plugin := range w.Plugins {
		f.place, f.prefix = plugin.Place(w.Home), plugin.Name+":"
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

// Named returns the agent with a name. The error names the agents that there are.
func (s Set) Named(name string) (Agent, error) {
	var names []string
	for _, agent := range s.Agents {
		if agent.Name == name {
			return agent, nil
		}
		names = append(names, agent.Name)
	}
	return Agent{}, fmt.Errorf("no subagent %q%s (available: %s)", name, suggest.Question(name, names), strings.Join(names, ", "))
}

// Effects lists every field of an agent's file that decides its text, its rights or its bounds. A
// change of any of them is asked about.
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
		add("mode", "only looks")
	} else {
		add("mode", "that of the conversation")
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

// finder collects the agents of folders.
type finder struct {
	Set
	place  trustedfile.Place
	origin Origin
	// prefix begins the names of the agents in the current folder.
	prefix string
	named  map[string]Agent
}

// below reads the agents in the folders below dir.
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

// maxFiles limits the files that are read of one folder, and maxDepth the folders within each other.
const (
	maxFiles = 200
	maxDepth = 4
)

// folder reads the agents of a folder and of those below it.
func (f *finder) folder(dir, ending string) {
	files := filesIn(dir, ending, maxDepth)
	for _, file := range files[:min(len(files), maxFiles)] {
		f.file(file, ending)
	}
	if more := len(files) - maxFiles; more > 0 {
		f.Skipped = append(f.Skipped, fmt.Sprintf("%s: %d files more than %d are not read", dir, more, maxFiles))
	}
}

// filesIn returns the files of a folder with an ending, and then those of the folders in it. It follows
// no links to folders.
func filesIn(dir, ending string, depth int) (files []string) {
	entries, _ := os.ReadDir(dir) // a folder that cannot be read has none
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

// nameOf returns the name of an agent that its file does not give: that of the file, where the
// agent's program takes it so (opencode, Copilot), else "".
func nameOf(file string) string {
	folder := filepath.ToSlash(filepath.Dir(file))
	if !strings.Contains(folder, "/.opencode/") && !strings.Contains(folder+"/", "/.github/agents/") {
		return ""
	}
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".md"), ".agent")
}

// file reads the agent of a file, and notes why it is not offered.
func (f *finder) file(file, ending string) {
	text, err := f.place.Read(file, maxFile)
	if trustedfile.Missing(err) {
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
				by = "the agent of the program"
			}
			err = fmt.Errorf("its name %s is taken by %s", agent.Name, by)
		}
	}
	if err != nil {
		f.Skipped = append(f.Skipped, file+": "+strings.TrimPrefix(err.Error(), file+": "))
		return
	}
	f.named[agent.Name] = agent
}
