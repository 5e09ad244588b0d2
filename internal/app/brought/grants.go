package brought

import (
	"slices"
	"strings"

	"agent/internal/app/gates"
	"agent/internal/setup"
	"agent/internal/setup/consent"
	"agent/internal/setup/source"
	"agent/internal/setup/trust"
)

// lend allows, until the end of the turn, what a skill or command asks for, if it is the
// person's own or they have agreed to it.
func (b *Brought) lend(e setup.Entry) {
	for _, problem := range b.Rules.Disallow(e.Skill) {
		b.Log.Warn(problem)
	}
	if item, needs := grantsItem(e); needs && b.Trust().Store.May(item) != nil {
		return
	}
	if lent := b.InOurRules(e.Allowed); len(lent) > 0 {
		b.Chat().Consent().Lend(lent)
	}
}

// Grants are the grants of skills and commands that need consent: those of a repository
// and of other programs' folders.
func Grants(brought setup.Set) trust.Found {
	var found trust.Found
	for _, s := range brought.Skills.Skills {
		if item, needs := grantsItem(setup.OfSkill(s)); needs {
			found.Items = append(found.Items, item)
		}
	}
	for _, one := range brought.Commands.Commands {
		if item, needs := grantsItem(setup.OfCommand(one)); needs {
			found.Items = append(found.Items, item)
		}
	}
	return found
}

// grantsItem is what a skill or command grants, as an item; needs reports whether it grants
// anything and is not the person's own.
func grantsItem(e setup.Entry) (item consent.Item, needs bool) {
	kind := "command "
	if e.Skill != nil {
		kind = "skill "
	}
	widens := slices.ContainsFunc(e.Allowed, func(text string) bool { return len(gates.InOurWords(text)) > 0 })
	return consent.Item{
		Kind: consent.Grants, Name: kind + e.Entry.Name, Fields: e.Allowed, Says: "without asking while it runs: " + strings.Join(e.Allowed, ", "),
		File: e.File, User: e.Origin == source.User,
	}, widens && !e.Own
}
