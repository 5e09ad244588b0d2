package imports

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/extend/setup/permissions"
)

// folders lists the folders of a coding agent that contain one file or folder for each item.
type folders struct {
	// commands lists folders of commands that this program reads itself.
	commands []string
	// skills lists folders of skills that this program reads itself.
	skills []string
	// others lists folders of skills that this program does not read.
	others []string
	// agents lists folders of subagents that this program reads itself.
	agents []string
	// otherAgents lists folders of subagents that this program does not read.
	otherAgents []string
}

// inFolders adds the changes for the items in a coding agent's folders.
func (p *planner) inFolders(f folders) {
	for _, folder := range f.commands {
		p.readThere(KindCommands, folder, func(path string) int {
			entries, _ := os.ReadDir(path) // an unreadable folder counts as empty
			return len(entries)
		})
	}
	for _, folder := range f.skills {
		p.readThere(KindSkills, folder, func(path string) int { return len(skillsIn(path)) })
	}
	for _, folder := range f.others {
		path, _ := p.where.path(folder)
		for _, skill := range skillsIn(path) {
			p.skip(KindSkills, filepath.Base(skill), skill, "agent does not read skills there; move it to ~/.agents/skills")
		}
	}
	for _, folder := range f.agents {
		if _, own := p.where.path(folder); own || p.where.Workspace != p.where.Home {
			p.readThere(KindAgents, folder, func(path string) int { return len(agentFiles(path)) })
		}
	}
	for _, folder := range f.otherAgents {
		path, own := p.where.path(folder)
		if !own && p.where.Workspace == p.where.Home {
			continue
		}
		for _, file := range agentFiles(path) {
			p.skip(KindAgents, strings.TrimSuffix(file, filepath.Ext(file)), filepath.Join(path, file), "agent does not read subagents there; move it to ~/.agents/agents")
		}
	}
}

// agentFiles returns the names of the files in a folder that define subagents.
func agentFiles(folder string) (files []string) {
	entries, _ := os.ReadDir(folder) // an unreadable folder counts as empty
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); !e.IsDir() && (ext == ".md" || ext == ".toml") {
			files = append(files, e.Name())
		}
	}
	return files
}

// readThere adds a change with the number of items in a folder that this program reads itself.
func (p *planner) readThere(kind Kind, folder string, count func(path string) int) {
	path, _ := p.where.path(folder)
	if n := count(path); n > 0 {
		p.add(Change{Kind: kind, State: StateExisting, From: path, To: path, Count: n, Lost: []string{"agent reads them where they are"}})
	}
}

func skillsIn(folder string) (skills []string) {
	for _, pattern := range []string{"*/SKILL.md", "*/*/SKILL.md"} {
		files, _ := filepath.Glob(filepath.Join(folder, pattern)) // the pattern is valid
		for _, file := range files {
			skills = append(skills, filepath.Dir(file))
		}
	}
	return skills
}

// agentsIn adds a skipped change for the subagents in a file of opencode. It returns the name of
// their member, "agent", or "" if there are none.
func (p *planner) agentsIn(from string, members map[string]json.RawMessage) (done string) {
	var agents map[string]any
	if json.Unmarshal(members["agent"], &agents) != nil || len(agents) == 0 {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(agents)) {
		p.skip(KindAgents, name, from, "agent does not read subagents from settings files; write it as a Markdown file in ~/.agents/agents")
	}
	return "agent"
}

// narrowing adds changes for the deny and ask rules of a file. Valid rules are already in effect
// and only counted. Invalid rules are skipped.
func (p *planner) narrowing(from string) {
	n, problems := permissions.Read(p.where.Locations).InFile(from)
	if n > 0 {
		p.add(Change{Kind: KindRules, State: StateExisting, From: from, To: from, Count: n, Lost: []string{"their deny and ask rules apply"}})
	}
	for _, problem := range problems {
		p.skip(KindRules, "a deny or ask rule", from, problem)
	}
}
