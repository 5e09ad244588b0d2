package setup

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/extend/setup/manifest"
	"agent/internal/extend/setup/template"
	"agent/internal/extend/setup/trustedfile"
)

// Origin is the owner of a skill or command: the project, the user or a plugin.
type Origin string

// The origins.
const (
	OriginProject Origin = "project"
	OriginUser    Origin = "user"
	// OriginPlugin is a plugin that the user has added. The names of its entries begin with its name and
	// a colon.
	OriginPlugin Origin = "plugin"
)

// Entry is a skill or a command: a file that users or the model call by name.
type Entry struct {
	Name, Description string
	// Hint describes the arguments.
	Hint   string
	Origin Origin
	// Own is set if the file is in this program's folders or in ~/.agents. The rules that it grants
	// then need no approval.
	Own bool
	// File is the path of the file.
	File string
	// Dir is the folder of a skill, empty for a command.
	Dir string
	// Allowed lists the permission rules that the entry requests.
	Allowed []string
	// Disallowed lists the tools that a skill must not use.
	Disallowed []string
	// Hidden is set if only a user may use the skill.
	Hidden bool
	// Unlisted is set if only the model may use the skill.
	Unlisted bool
	// Shadowed is set if another skill with the same name takes precedence. The shadowed skill is
	// called as /user:NAME.
	Shadowed bool
	// Notes describe irregularities that were ignored, and fields that have no effect.
	Notes []string

	text template.Template
}

// IsSkill reports whether the entry is a skill rather than a command.
func (e *Entry) IsSkill() bool { return e.Dir != "" }

// IsForModel reports whether the entry is a skill that the model may use.
func (e *Entry) IsForModel() bool { return e.IsSkill() && !e.Hidden && !e.Shadowed }

// Fill returns the text of the entry with the arguments of a line filled in.
func (e *Entry) Fill(line string) []template.Part { return e.text.Fill(line) }

// Effects lists everything in the entry that requires approval: its rules, its use by the model,
// and the commands in its text. about returns a note on a rule for the user, or "".
func (e *Entry) Effects(about func(rule string) string) manifest.List {
	var all manifest.List
	for _, rule := range e.Allowed {
		all = append(all, manifest.Part{Name: manifest.Rule, Text: rule, Note: about(rule)})
	}
	for _, rule := range e.Disallowed {
		all = append(all, manifest.Part{Name: "deny", Text: rule})
	}
	if e.IsSkill() && !e.Hidden {
		all = append(all, manifest.Part{Name: "the model may use it"})
	}
	commands := e.text.Commands()
	for _, line := range commands {
		means := line
		if e.Dir != "" {
			means = strings.ReplaceAll(line, "${CLAUDE_SKILL_DIR}", e.Dir)
		}
		all = append(all, manifest.Part{Name: "runs", Text: line, Role: manifest.RoleLine, Means: means})
	}
	if len(commands) > 0 {
		for _, name := range e.text.Names {
			all = append(all, manifest.Part{Name: "takes", Text: name})
		}
	}
	return all
}

// withOrigin returns the name of the entry with its origin: "project:NAME".
func (e *Entry) withOrigin() string { return string(e.Origin) + ":" + e.Name }

// Listing holds the skills, or the commands, of a workspace and its user.
type Listing struct {
	// Entries are sorted by name. If several entries have the same name, the first is used.
	Entries []*Entry
	// Skipped lists the files that are not used, each with the reason.
	Skipped []string
}

// ByName returns the first entry with a name, or nil. The name may have an origin as a prefix, such
// as "user:review".
func (f Listing) ByName(name string) *Entry {
	for _, e := range f.Entries {
		if e.Name == name || e.withOrigin() == name {
			return e
		}
	}
	return nil
}

// places lists the folders to search for skills or commands.
type places struct {
	// project lists paths below the workspace and below each folder above it.
	project []string
	// user lists paths below the home folder.
	user []string
	// own is a path below the folder of the configuration.
	own string
	// further lists absolute paths of other folders of the user.
	further []string
	// plugin returns the folders in a plugin.
	plugin func(trustedfile.Plugin) []string
	// longest is the greatest size of a file, in bytes.
	longest int
}

// finder reads the files of a workspace and its user, each once.
type finder struct {
	Listing
	longest int
	from    trustedfile.ReadScope
	// origin is the origin of the entries in the current folder.
	origin Origin
	// prefix is prepended to the names of the entries in the current folder.
	prefix string
	// own is copied to Entry.Own of the entries in the current folder.
	own bool
	// seen holds the paths of the files that were read, with links resolved.
	seen map[string]bool
}

// find visits the folders of the workspace, the nearest first, and then the user's folders. It
// returns the entries sorted by name.
func find(w trustedfile.Locations, p places, visit func(f *finder, dir string)) Listing {
	f := &finder{longest: p.longest, seen: map[string]bool{}, origin: OriginProject}
	above := trustedfile.FoldersAbove(w.Home, w.Workspace)
	f.from = trustedfile.ReadScope{Root: above[0], Home: w.Home}
	for _, dir := range slices.Backward(above) {
		for _, name := range p.project {
			visit(f, filepath.Join(dir, name))
		}
	}
	f.from, f.origin, f.own = trustedfile.ReadScope{Home: w.Home}, OriginUser, true
	visit(f, filepath.Join(w.Config, p.own))
	for _, name := range p.user {
		if f.own = strings.HasPrefix(name, ".agents/"); w.Home != "" {
			visit(f, filepath.Join(w.Home, name))
		}
	}
	f.own = true
	for _, dir := range p.further {
		visit(f, dir)
	}
	f.origin, f.own = OriginPlugin, false
	for _, plugin := range w.Plugins {
		f.from, f.prefix = plugin.ReadScope(w.Home), plugin.Name+":"
		for _, dir := range p.plugin(plugin) {
			visit(f, dir)
		}
	}
	slices.SortStableFunc(f.Entries, func(a, b *Entry) int { return cmp.Compare(a.Name, b.Name) })
	return f.Listing
}

// read adds the entry of a file unless the file is missing or was read before. parse sets the
// remaining fields of the entry.
func (f *finder) read(file string, parse func(e *Entry, text string) error) {
	text, err := f.from.Read(file, f.longest)
	if trustedfile.IsMissing(err) || err == nil && f.seen[text.Real] {
		return
	}
	f.seen[text.Real] = true
	switch {
	case err == nil && text.Cut:
		err = fmt.Errorf("is longer than %d KiB", f.longest>>10)
	case err == nil:
		e := &Entry{File: file, Origin: f.origin, Own: f.own}
		if err = parse(e, text.Text); err == nil {
			f.Entries = append(f.Entries, e)
		}
	}
	if err != nil {
		f.Skipped = append(f.Skipped, file+": "+strings.TrimPrefix(err.Error(), file+": "))
	}
}

// describe sets the fields of an entry from the frontmatter of its file.
func (e *Entry) describe(fields trustedfile.Fields) {
	e.Description, e.Hint, e.Allowed = oneLine(fields["description"]), fields["argument-hint"], fields.Rules("allowed-tools")
	e.text.Names = fields.List("arguments")
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
