// Package setup is what a person and a repository have brought along to be called by
// name: skills and commands. It knows which name means which, and puts what is called
// into the form in which the model reads it.
package setup

import (
	"slices"
	"strings"

	"agent/internal/setup/commands"
	"agent/internal/setup/skills"
	"agent/internal/setup/source"
)

// Set are the skills and commands of a workspace and its user.
type Set struct {
	Skills   skills.Found
	Commands commands.Found
}

// Entry is a skill or a command; one of them is not nil.
type Entry struct {
	*source.Entry
	// Name is what it is called by: its own name, or with its origin before it where
	// another has that name.
	Name    string
	Skill   *skills.Skill
	Command *commands.Command
}

// OfSkill is a skill that is called by its name.
func OfSkill(s *skills.Skill) Entry { return Entry{Entry: &s.Entry, Name: s.Name, Skill: s} }

// OfCommand is a command that is called by its name.
func OfCommand(c *commands.Command) Entry { return Entry{Entry: &c.Entry, Name: c.Name, Command: c} }

// Empty reports whether there is nothing to call.
func (s Set) Empty() bool { return len(s.Skills.Skills) == 0 && len(s.Commands.Commands) == 0 }

// Entries lists what a person can call, by name. What lost its name to another is listed
// with its origin before it.
func (s Set) Entries() []Entry {
	var all []Entry
	taken := map[string]bool{}
	list := func(e Entry) {
		if taken[e.Name] {
			e.Name = string(e.Origin) + ":" + e.Name
		}
		if !taken[e.Name] {
			taken[e.Name] = true
			all = append(all, e)
		}
	}
	for _, sk := range s.Skills.Skills {
		if !sk.Unlisted {
			list(OfSkill(sk))
		}
	}
	for _, c := range s.Commands.Commands {
		list(OfCommand(c))
	}
	slices.SortStableFunc(all, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Named returns what a person calls by a name.
func (s Set) Named(name string) (Entry, bool) {
	entries := s.Entries()
	if i := slices.IndexFunc(entries, func(e Entry) bool { return e.Name == name }); i >= 0 {
		return entries[i], true
	}
	e, found := Entry{}, false
	if sk := s.Skills.Named(name); sk != nil && !sk.Unlisted {
		e, found = OfSkill(sk), true
	} else if c := s.Commands.Named(name); c != nil {
		e, found = OfCommand(c), true
	}
	e.Name = name
	return e, found
}
