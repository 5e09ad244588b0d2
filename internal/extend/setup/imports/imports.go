// Package imports imports the configuration of other coding agents, such as Claude Code and codex.
//
// Read reads their files and returns a Plan, which lists a Change for each item. Plan.Write adds
// the servers and hooks to this program's files. All other changes are only shown: this program reads
// the item at its original path, or the user can enter an equivalent. The package starts nothing, and a
// Change contains no secret.
package imports

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/base/secret"
	"agent/internal/base/suggest"
	"agent/internal/extend/setup/servers"
	"agent/internal/extend/setup/trustedfile"
)

// Kind is the kind of an imported item.
type Kind string

// The kinds of items. Servers and Hooks are written; the others are only shown.
const (
	KindServers  Kind = "servers"
	KindHooks    Kind = "hooks"
	KindCommands Kind = "commands"
	KindSkills   Kind = "skills"
	KindRules    Kind = "rules"
	KindSettings Kind = "settings"
	KindProfiles Kind = "profiles"
	KindAgents   Kind = "sub-agents"
	KindLogins   Kind = "login"
)

var kinds = []Kind{KindServers, KindHooks, KindCommands, KindSkills, KindRules, KindSettings, KindProfiles, KindAgents, KindLogins}

// Kinds lists all kinds as text.
func Kinds() string {
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = string(kind)
	}
	return strings.Join(names, ", ")
}

// State is the result of the import for an item.
type State string

// The states.
const (
	// StateNew means that the item will be written.
	StateNew State = "new"
	// StateExisting means that the item already exists, or that this program reads it at its original
	// path.
	StateExisting State = "already there"
	// StateNameTaken means that the item is not written, because another item has its name.
	StateNameTaken State = "name taken"
	// StateManual means that the user can make the change by hand, as To shows.
	StateManual State = "shown"
	// StateSkipped means that the item cannot be used here.
	StateSkipped State = "skipped"
)

// Change describes what the import does with an item, or with several similar items, of another
// coding agent's configuration.
type Change struct {
	Kind Kind `json:"kind"`
	// Name is the name of the item, empty if the change is about several items.
	Name string `json:"name"`
	// Count is the number of items of a change without a name, otherwise 0.
	Count int   `json:"count,omitempty"`
	State State `json:"state"`
	// From is the file or folder of the other coding agent.
	From string `json:"from"`
	// To is the file to which the item is written, or the equivalent here.
	To string `json:"to,omitempty"`
	// Lost lists the parts that are lost and the steps that the user must do. For a skipped change
	// it contains the reason.
	Lost []string `json:"lost,omitempty"`
	// Rules lists the equivalents of a rule. Each is a value of --allow.
	Rules []string `json:"rules,omitempty"`
}

// Locations holds the folders to search for configurations, and a function that translates rules.
type Locations struct {
	trustedfile.Locations
	// Base is the folder that contains Config, usually ~/.config.
	Base string
	// InOurWords translates a rule of Claude Code to rules for --allow. It returns none if there is
	// no equivalent.
	InOurWords func(rule string) []string
}

// Plan lists the changes of an import and contains the entries to write.
type Plan struct {
	Changes []Change

	// servers maps files and names to the entries to write.
	servers map[string]map[string]json.RawMessage
	// hooks lists the hooks to append to hooksFile.
	hooks []hook
	// hooksFile is the path of this program's hooks file.
	hooksFile string
}

// planner builds a plan.
type planner struct {
	Plan
	where Locations
	only  []Kind
	// has maps files and names to the existing and planned entries of this program's files.
	has map[string]map[string]string
	// hasHooks holds the identities of the existing and planned hooks in hooksFile.
	hasHooks map[string]bool
}

// Check returns an error for an unknown name of a source or kind.
func Check(named []string, only []Kind) error {
	for _, name := range named {
		if !slices.Contains(SourceNames(), name) {
			return fmt.Errorf("source %q is not known%s (valid: %s)", name, suggest.Question(name, SourceNames()), strings.Join(SourceNames(), ", "))
		}
	}
	for _, kind := range only {
		if !slices.Contains(kinds, kind) {
			return fmt.Errorf("--only %s is not known (valid: %s)", kind, Kinds())
		}
	}
	return nil
}

// Read plans the import of the named sources and kinds. Empty lists mean all. A file of another
// coding agent that cannot be read becomes a skipped change. An error is about one of this
// program's own files.
func Read(w Locations, named []string, only []Kind) (Plan, error) {
	p := planner{where: w, only: only, has: map[string]map[string]string{}}
	p.servers, p.hooksFile = map[string]map[string]json.RawMessage{}, filepath.Join(w.Config, "hooks.json")
	if err := p.readOwn(); err != nil {
		return Plan{}, err
	}
	for _, s := range sources {
		if len(named) == 0 || slices.Contains(named, s.name) {
			p.source(s)
		}
	}
	return p.Plan, nil
}

// readOwn reads the existing configuration of this program.
func (p *planner) readOwn() error {
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

func (p *planner) wants(kind Kind) bool { return len(p.only) == 0 || slices.Contains(p.only, kind) }

// add adds a change of a wanted kind. It hides secrets in its texts.
func (p *planner) add(c Change) {
	if !p.wants(c.Kind) {
		return
	}
	c.Name = hideSecrets(c.Name)
	for i, text := range c.Lost {
		c.Lost[i] = hideSecrets(text)
	}
	c.To = hideSecrets(c.To)
	p.Changes = append(p.Changes, c)
}

// skip adds a change for an item that cannot be used, with the reason.
func (p *planner) skip(kind Kind, name, from, why string) {
	p.add(Change{Kind: kind, Name: name, State: StateSkipped, From: from, Lost: []string{why}})
}

// hideSecrets returns a text as one line with secrets hidden.
func hideSecrets(text string) string { return humanize.Line(secret.RedactKeys(text), 200) }

// ChangesFiles reports whether the plan writes to files.
func (p Plan) ChangesFiles() bool { return len(p.servers) > 0 || len(p.hooks) > 0 }

// Check returns an error if the plan cannot be executed.
func (p Plan) Check() error {
	for _, file := range slices.Sorted(maps.Keys(p.servers)) {
		if err := servers.CheckFile(file); err != nil {
			return err
		}
	}
	return nil
}

// Write executes the plan. It changes each file atomically.
func (p Plan) Write() error {
	for _, file := range slices.Sorted(maps.Keys(p.servers)) {
		if err := servers.AddAll(file, p.servers[file]); err != nil {
			return err
		}
	}
	return p.writeHooks()
}
