package brought

import (
	"slices"
	"strings"

	"agent/internal/app/gates"
	"agent/internal/setup"
	"agent/internal/setup/consent"
	"agent/internal/setup/skills"
	"agent/internal/setup/trust"
)

// lend allows, until the end of the turn, what a skill or command asks for, if it is the
// person's own or they have agreed to it (setup.md 3).
func (b *Brought) lend(e setup.Entry) {
	for _, problem := range b.Rules.Disallow(e.Skill) {
		b.Log.Warn(problem)
	}
	allowed := []string(nil)
	if e.Skill != nil {
		allowed = e.Skill.Allowed
	} else {
		allowed = e.Command.Allowed
	}
	if item, needs := grantsItem(e); needs && b.Trust().Store.May(item) != nil {
		return
	}
	if lent := b.InOurRules(allowed); len(lent) > 0 {
		b.Chat().Consent().Lend(lent)
	}
}

// Grants are the grants of skills and commands that need consent: those of a repository
// and of other programs' folders.
func Grants(brought setup.Set) trust.Found {
	var found trust.Found
	for _, s := range brought.Skills.Skills {
		if item, needs := grantsItem(setup.Entry{Skill: s}); needs {
			found.Items = append(found.Items, item)
		}
	}
	for _, one := range brought.Commands.Commands {
		if item, needs := grantsItem(setup.Entry{Command: one}); needs {
			found.Items = append(found.Items, item)
		}
	}
	return found
}

// grantsItem is what a skill or command grants, as an item; needs reports whether it grants
// anything and is not the person's own.
func grantsItem(e setup.Entry) (item consent.Item, needs bool) {
	name, allowed, own := "", []string(nil), false
	if e.Skill != nil {
		name, allowed, own = "skill "+e.Skill.Name, e.Skill.Allowed, e.Skill.Own
	} else {
		name, allowed, own = "command "+e.Command.Name, e.Command.Allowed, e.Command.Own
	}
	widens := slices.ContainsFunc(allowed, func(text string) bool { return len(gates.InOurWords(text)) > 0 })
	return consent.Item{
		Kind: consent.Grants, Name: name, Fields: allowed, Says: "without asking while it runs: " + strings.Join(allowed, ", "),
		File: e.File(), User: e.Origin() == string(skills.User),
	}, widens && !own
}
