package brought

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/app/gates"
	"agent/internal/setup"
	"agent/internal/setup/consent"
)

// lend allows, until the end of the turn, what a skill or command asks for, if it is the
// person's own or they have agreed to it.
func (b *Brought) lend(e *setup.Entry) {
	for _, problem := range b.Rules.Disallow(e) {
		b.Log.Warn(problem)
	}
	if needsConsent(e) && b.Trust().May(grants(e)) != nil {
		return
	}
	if lent := b.InOurRules(e.Allowed); len(lent) > 0 {
		b.Chat().Consent().Lend(lent)
	}
}

// Grants are the grants of skills and commands that need consent: those of a repository
// and of other programs' folders.
func Grants(brought setup.Set) (items []consent.Item) {
	for _, e := range slices.Concat(brought.Skills.Entries, brought.Commands.Entries) {
		if needsConsent(e) {
			items = append(items, grants(e))
		}
	}
	return items
}

// voidRules returns a line for each rule of a skill or command that is not understood, and that no
// question shows.
func (b *Brought) voidRules(found setup.Set) (lines []string) {
	for _, e := range slices.Concat(found.Skills.Entries, found.Commands.Entries) {
		for _, rule := range e.Allowed {
			if why, void := strings.CutPrefix(gates.AboutRule(rule), gates.NotUnderstood); void && !needsConsent(e) {
				lines = append(lines, fmt.Sprintf("%s: allowed-tools %s is %s%s", b.Env.Workspace.Rel(e.File), rule, gates.NotUnderstood, why))
			}
		}
	}
	return lines
}

// needsConsent reports whether an entry grants anything and is not the person's own.
func needsConsent(e *setup.Entry) bool {
	return !e.Own && slices.ContainsFunc(e.Allowed, func(text string) bool { return len(gates.InOurWords(text)) > 0 })
}

// grants is what a skill or command grants, as an item.
func grants(e *setup.Entry) consent.Item {
	kind := "command "
	if e.IsSkill() {
		kind = "skill "
	}
	return consent.Item{
		Kind: consent.Grants, Name: kind + e.Name, Effects: e.Effects(gates.AboutRule), File: e.File, User: e.Origin == setup.User,
	}
}
