// Package imports takes over the configuration of other agents. It reads their files and plans what to
// write to ours. It starts nothing, and shows no values of secrets.
package imports

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/nearest"
	"agent/internal/secret"
	"agent/internal/setup/servers"
	"agent/internal/setup/source"
	"agent/internal/words"
)

// Kind is a kind of imported things.
type Kind string

// The kinds. Servers and Hooks are written, the others are shown.
const (
	Servers  Kind = "servers"
	Hooks    Kind = "hooks"
	Commands Kind = "commands"
	Skills   Kind = "skills"
	Rules    Kind = "rules"
	Settings Kind = "settings"
	Profiles Kind = "profiles"
	Agents   Kind = "sub-agents"
)

// kinds are all kinds.
var kinds = []Kind{Servers, Hooks, Commands, Skills, Rules, Settings, Profiles, Agents}

// Kinds lists the kinds, as --only takes them.
func Kinds() string {
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = string(kind)
	}
	return strings.Join(names, ",")
}

// State is what an import does with a thing.
type State string

// The states.
const (
	// New means that it is written.
	New State = "new"
	// There means that the same thing is configured already.
	There State = "already there"
	// Taken means that it is not written, because another thing has its name.
	Taken State = "name taken"
	// Shown means that the person can do it, or that nothing needs to be done.
	Shown State = "shown"
	// Skipped means that it cannot be used.
	Skipped State = "skipped"
)

// Change is one thing in the configuration of another agent.
type Change struct {
	Kind Kind `json:"kind"`
	// Name is empty for several things that have one fate.
	Name string `json:"name"`
	// Count is the number of things without a name, 0 for one with a name.
	Count int    `json:"count,omitempty"`
	State State  `json:"state"`
	From  string `json:"from"`
	// To is the file that it is written to, or the equivalent here.
	To string `json:"to,omitempty"`
	// Lost says what is not taken over, and what remains to be done.
	Lost []string `json:"lost,omitempty"`
	// Rules are the equivalents here of a rule, as --allow takes them.
	Rules []string `json:"rules,omitempty"`
}

// Where says where to look for configurations.
type Where struct {
	source.Where
	// Base is the folder that contains Config.
	Base string
	// InOurWords returns a rule of Claude Code as rules for --allow, none if there is no
	// equivalent.
	InOurWords func(rule string) []string
}

// Plan is what an import does.
type Plan struct {
	Changes []Change

	// servers has the entries to write, by file and name.
	servers map[string]map[string]json.RawMessage
	// hooks are the hooks to append to hooksFile.
	hooks     []hook
	hooksFile string
}

// planner builds a plan.
type planner struct {
	Plan
	where Where
	only  []Kind
	// has has the present and the planned entries of our files, by file and name.
	has map[string]map[string]string
	// hasHooks has the present and the planned hooks of our file.
	hasHooks map[string]bool
}

// Check returns an error for an unknown name of a source or kind.
func Check(named []string, only []Kind) error {
	for _, name := range named {
		if !slices.Contains(Sources(), name) {
			return fmt.Errorf("source %q is not known%s (valid: %s)", name, nearest.Question(name, Sources()), strings.Join(Sources(), ", "))
		}
	}
	for _, kind := range only {
		if !slices.Contains(kinds, kind) {
			return fmt.Errorf("--only %s is not known (valid: %s)", kind, strings.ReplaceAll(Kinds(), ",", ", "))
		}
	}
	return nil
}

// Read plans the import of the named sources and kinds; without names, of all. A file of another agent
// that cannot be read is a skipped change. An error is about a file of ours that cannot be read.
func Read(w Where, named []string, only []Kind) (Plan, error) {
	p := planner{where: w, only: only, has: map[string]map[string]string{}}
	p.servers, p.hooksFile = map[string]map[string]json.RawMessage{}, filepath.Join(w.Config, "hooks.json")
	if err := p.own(); err != nil {
		return Plan{}, err
	}
	for _, s := range sources {
		if len(named) == 0 || slices.Contains(named, s.name) {
			p.source(s)
		}
	}
	return p.Plan, nil
}

// own reads our present configuration.
func (p *planner) own() error {
	for _, file := range []string{servers.UserFile(p.where.Config), servers.ProjectFile(p.where.Workspace)} {
		has, err := servers.Entries(file)
		if err != nil {
			return err
		}
		if has == nil {
			has = map[string]string{}
		}
		p.has[file] = has
	}
	return p.ownHooks()
}

// wants reports whether things of a kind are imported.
func (p *planner) wants(kind Kind) bool { return len(p.only) == 0 || slices.Contains(p.only, kind) }

// add adds a change, with its texts as they may be shown.
func (p *planner) add(c Change) {
	if !p.wants(c.Kind) {
		return
	}
	c.Name = shown(c.Name)
	for i, text := range c.Lost {
		c.Lost[i] = shown(text)
	}
	c.To = shown(c.To)
	p.Changes = append(p.Changes, c)
}

// skip adds a thing that cannot be used, and why.
func (p *planner) skip(kind Kind, name, from, why string) {
	p.add(Change{Kind: kind, Name: name, State: Skipped, From: from, Lost: []string{why}})
}

// shown returns a text without keys as a line.
func shown(text string) string { return words.Line(secret.Hide(text), 200) }

// Writes reports whether the plan changes a file.
func (p Plan) Writes() bool { return len(p.servers) > 0 || len(p.hooks) > 0 }

// Check returns why the plan cannot be carried out, nil if it can.
func (p Plan) Check() error {
	for _, file := range slices.Sorted(maps.Keys(p.servers)) {
		if err := servers.CheckFile(file); err != nil {
			return err
		}
	}
	return nil
}

// Write carries out the plan. It changes each file atomically.
func (p Plan) Write() error {
	for _, file := range slices.Sorted(maps.Keys(p.servers)) {
		if err := servers.AddAll(file, p.servers[file]); err != nil {
			return err
		}
	}
	return p.writeHooks()
}
