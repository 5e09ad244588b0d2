// Package setup is what a person and a repository have brought along to be called by
// name: Agent Skills, and slash commands that are files. It finds and reads them, knows which
// name means which, and puts what is called into the form in which the model reads it. It
// never runs anything.
package setup

import (
	"cmp"
	"slices"

	"agent/internal/setup/source"
)

// Set are the skills and commands of a workspace and its user.
type Set struct{ Skills, Commands Found }

// Find reads the skills and commands of a workspace and its user: the nearer folder precedes
// the farther one, and the project's the user's. Further are more folders of skills.
func Find(w source.Where, further []string) Set {
	return Set{findSkills(w, further), findCommands(w)}
}

// Callable lists what a person can call, by name. What lost its name to another is listed
// with its origin before it.
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

// named returns what a person calls by a name.
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
