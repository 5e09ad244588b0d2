package setup

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/setup/fill"
	"agent/internal/setup/source"
)

// Origin is whose a skill or command is.
type Origin string

// The origins.
const (
	Project Origin = "project"
	User    Origin = "user"
)

// Entry is a skill or a command: a file that is called by a name.
type Entry struct {
	Name, Description string
	// Hint says what arguments it takes.
	Hint   string
	Origin Origin
	// Own says that it lies in this program's folders or in ~/.agents, so that what it
	// grants counts without a question.
	Own bool
	// File is where it is written, Dir the folder of a skill, empty for a command.
	File, Dir string
	// Allowed are the grants it asks for, Disallowed the tools that a skill must not use.
	Allowed, Disallowed []string
	// Hidden says that only a person may use a skill, Unlisted that only the model may.
	Hidden, Unlisted bool
	// Shadowed says that a skill of the same name is used in its place; it is reached as
	// /user:NAME.
	Shadowed bool
	// Notes say what of it was taken leniently or has no effect.
	Notes []string

	text fill.Template
}

// IsSkill reports whether the entry is a skill, and no command.
func (e *Entry) IsSkill() bool { return e.Dir != "" }

// ForModel reports whether the entry is a skill that the model may use.
func (e *Entry) ForModel() bool { return e.IsSkill() && !e.Hidden && !e.Shadowed }

// Fill returns the text of the entry with the arguments of a line in it.
func (e *Entry) Fill(line string) []fill.Part { return e.text.Fill(line) }

// withOrigin is the name of the entry behind its origin, "project:NAME".
func (e *Entry) withOrigin() string { return string(e.Origin) + ":" + e.Name }

// Found are skills or commands, by name, what is used of several of one name first.
type Found struct {
	Entries []*Entry
	// LeftOut are files that are not used, each with what is wrong.
	LeftOut []string
}

// Named returns the entry that a name means: the first of that name, or that of an origin
// behind "project:" or "user:". It is nil if there is none.
func (f Found) Named(name string) *Entry {
	for _, e := range f.Entries {
		if e.Name == name || e.withOrigin() == name {
			return e
		}
	}
	return nil
}

// places are where entries of one sort are.
type places struct {
	// project are folders below those of the workspace, user folders below home, and own is
	// that of the configuration.
	project, user []string
	own           string
	// further are more folders, the user's own.
	further []string
	// longest is how long a file may be, in bytes.
	longest int
}

// finder reads the files of a workspace and of its user, each once.
type finder struct {
	Found
	longest int
	from    source.Place
	// origin and own are those of the entries of the folder that is visited.
	origin Origin
	own    bool
	seen   map[string]bool
}

// find visits the folders of entries: those of the workspace, the nearer before the
// farther, then those of the user. The entries are sorted by name.
func find(w source.Where, p places, visit func(f *finder, dir string)) Found {
	f := &finder{longest: p.longest, seen: map[string]bool{}, origin: Project}
	above := source.Above(w.Home, w.Workspace)
	f.from = source.Place{Root: above[0], Home: w.Home}
	for _, dir := range slices.Backward(above) {
		for _, name := range p.project {
			visit(f, filepath.Join(dir, name))
		}
	}
	f.from, f.origin, f.own = source.Place{Home: w.Home}, User, true
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
	slices.SortStableFunc(f.Entries, func(a, b *Entry) int { return cmp.Compare(a.Name, b.Name) })
	return f.Found
}

// read adds the entry of a file, which parse completes, unless a link led to it before.
func (f *finder) read(file string, parse func(e *Entry, text string) error) {
	text, err := f.from.Read(file, f.longest)
	if source.Missing(err) || err == nil && f.seen[text.Real] {
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
		f.LeftOut = append(f.LeftOut, file+": "+strings.TrimPrefix(err.Error(), file+": "))
	}
}

// describe fills in what the head of a file says of an entry.
func (e *Entry) describe(fields source.Fields) {
	e.Description, e.Hint, e.Allowed = oneLine(fields["description"]), fields["argument-hint"], fields.List("allowed-tools")
	e.text.Names = fields.List("arguments")
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
