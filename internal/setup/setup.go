// Package setup is what a person and a repository have brought along to be called by
// name: skills and commands. It knows which name means which, and puts what is called
// into the form in which the model reads it.
package setup

import (
	"slices"
	"strings"

	"agent/internal/setup/commands"
	"agent/internal/setup/skills"
)

// Set are the skills and commands of a workspace and its user.
type Set struct {
	Skills   skills.Found
	Commands commands.Found
}

// Entry is a skill or a command; one of them is not nil.
type Entry struct {
	// Name is what it is called by: its own name, or with its origin before it where
	// another has that name.
	Name    string
	Skill   *skills.Skill
	Command *commands.Command
}

// Description says in a line what the entry is for, Hint what arguments it takes.
func (e Entry) Description() string {
	if e.Skill != nil {
		return e.Skill.Description
	}
	return e.Command.Description
}

// Hint says what arguments the entry takes, empty where it does not say.
func (e Entry) Hint() string {
	if e.Skill != nil {
		return e.Skill.Hint
	}
	return e.Command.Hint
}

// Origin is "project" or "user".
func (e Entry) Origin() string {
	if e.Skill != nil {
		return string(e.Skill.Origin)
	}
	return string(e.Command.Origin)
}

// File is where the entry is written.
func (e Entry) File() string {
	if e.Skill != nil {
		return e.Skill.File
	}
	return e.Command.File
}

// Empty reports whether there is nothing to call.
func (s Set) Empty() bool { return len(s.Skills.Skills) == 0 && len(s.Commands.Commands) == 0 }

// Entries lists what a person can call, by name. What lost its name to another is listed
// with its origin before it.
func (s Set) Entries() []Entry {
	var all []Entry
	taken := map[string]bool{}
	list := func(name, origin string, e Entry) {
		if e.Name = name; taken[name] {
			e.Name = origin + ":" + name
		}
		if !taken[e.Name] {
			taken[e.Name] = true
			all = append(all, e)
		}
	}
	for _, sk := range s.Skills.Skills {
		if !sk.Unlisted {
			list(sk.Name, string(sk.Origin), Entry{Skill: sk})
		}
	}
	for _, c := range s.Commands.Commands {
		list(c.Name, string(c.Origin), Entry{Command: c})
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
	if sk := s.Skills.Named(name); sk != nil && !sk.Unlisted {
		return Entry{Name: name, Skill: sk}, true
	}
	if c := s.Commands.Named(name); c != nil {
		return Entry{Name: name, Command: c}, true
	}
	return Entry{}, false
}
