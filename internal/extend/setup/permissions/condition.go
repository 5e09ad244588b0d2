package permissions

import (
	"errors"
	"slices"

	"agent/internal/cmdline"
)

// Condition is a rule that selects calls. The zero Condition selects all calls.
type Condition struct{ rules Rules }

// ParseCondition parses a condition, which has the syntax of a permission rule. Its paths are
// relative to root or to the home folder.
func ParseCondition(text, root, home string) (Condition, error) {
	rule, why := parse(text, basesAt(root, home))
	if why != "" {
		return Condition{}, errors.New(why)
	}
	return Condition{Rules{all: []Rule{rule}, home: home}}, nil
}

// Subject describes a call to a Condition.
type Subject struct {
	// Tool is the name of the tool in Claude Code.
	Tool string
	// Command is the command of a shell call.
	Command string
	// Files are the absolute paths of the files that the call names.
	Files []string
	// Host is the host of the page that the call fetches.
	Host string
}

// Matches reports whether the condition selects a call.
func (c Condition) Matches(s Subject) bool {
	if len(c.rules.all) == 0 {
		return true
	}
	rule := c.rules.all[0]
	if rule.about == tools {
		return c.rules.ServerRule(s.Tool) != nil
	}
	if subjects[s.Tool] != rule.about {
		return false
	}
	switch rule.about {
	case commands:
		return c.rules.CommandRule(cmdline.Read(s.Command)) != nil
	case pages:
		return c.rules.PageRule(s.Host) != nil
	case searches:
		return c.rules.SearchRule() != nil
	}
	return slices.ContainsFunc(s.Files, rule.matches) || rule.places == nil
}
