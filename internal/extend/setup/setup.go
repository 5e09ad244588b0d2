// Package setup finds the skills and slash commands that a user and a repository provide as files.
// It reads the files, resolves names, and generates the text for the model. It never runs anything.
//
// Find returns a Set with the skills and the commands of a workspace and its user. Each is an
// Entry. Set.Calls parses the calls at the beginning of a typed line, and Call.Text fills in their
// arguments:
//
//	for _, call := range setup.Find(where, nil).Calls("/review main.go") {
//		text, files, err := call.Text(run)
//		…
//	}
//
// The subpackages read the other parts of a configuration, such as instructions, hooks and servers.
// They do not depend on this package.
package setup

import (
	"cmp"
	"slices"

	"agent/internal/extend/setup/trustedfile"
)

// Set holds the skills and commands of a workspace and its user.
type Set struct{ Skills, Commands Listing }

// Find reads the skills and commands of a workspace and its user. An entry of a nearer folder
// precedes entries with the same name in farther folders, and the project precedes the user.
// further lists more folders of skills.
func Find(w trustedfile.Locations, further []string) Set {
	return Set{findSkills(w, further), findCommands(w)}
}

// Callable returns the entries that a user can call, sorted by name. If two entries have the same
// name, the origin is prefixed to the name.
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

func (s Set) named(name string) (call Call, found bool) {
	callable := s.Callable()
	if i := slices.IndexFunc(callable, func(c Call) bool { return c.As == name }); i >= 0 {
		return callable[i], true
	}
	e := s.Skills.ByName(name)
	if e == nil || e.Unlisted {
		e = s.Commands.ByName(name)
	}
	return Call{Entry: e, As: name}, e != nil
}
