// Package setup finds what a person and a repository provide to be called by name: Agent Skills,
// and slash commands in files. It reads them, resolves names, and makes the text that the model
// reads. It never runs anything.
package setup

import (
	"cmp"
	"slices"

	"agent/internal/setup/source"
)

// Set has the skills and commands of a workspace and its user.
type Set struct{ Skills, Commands Found }

// Find reads the skills and commands of a workspace and its user. Nearer folders precede farther
// ones, and those of the project those of the user. further are more folders of skills.
func Find(w source.Where, further []string) Set {
	return Set{findSkills(w, further), findCommands(w)}
}

// Callable returns what a person can call, sorted by name. If another entry has the name, the name
// is preceded by the origin.
func (s Set) Callable() []Call {
	var all []Call
	taken := map[string]bool{}
	for _, e := range slices.Concat(s.Skills.Entries, s.Commands.Entries) {
		as := e.Name
		if taken[as] {
			as = e.withOrigin()
		}
		if !taken[as] && !e.Unlisted {
			taken[as] = true
			all = append(all, Call{Entry: e, As: as})
		}
	}
	slices.SortStableFunc(all, func(a, b Call) int { return cmp.Compare(a.As, b.As) })
	return all
}

// named returns the entry that a person calls by a name.
func (s Set) named(name string) (call Call, found bool) {
	callable := s.Callable()
	if i := slices.IndexFunc(callable, func(c Call) bool { return c.As == name }); i >= 0 {
		return callable[i], true
	}
	e := s.Skills.Named(name)
	if e == nil || e.Unlisted {
		e = s.Commands.Named(name)
	}
	return Call{Entry: e, As: name}, e != nil
}
