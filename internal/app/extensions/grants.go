package extensions

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/app/hookgates"
	"agent/internal/extend/setup"
	"agent/internal/extend/setup/consent"
)

// lendRules allows the calls that a skill or command requests, until the end of the turn. It allows nothing
// if the skill or command requires consent that the user has not given.
func (b *Extensions) lendRules(e *setup.Entry) {
	for _, problem := range b.Rules.Disallow(e) {
		b.Log.Warn(problem)
	}
	if needsConsent(e) && b.Trust.Store.Check(grants(e)) != nil {
		return
	}
	b.Lend(e.Allowed)
}

// Grants returns the permissions that skills and commands request, as items for consent. Only entries of a
// repository, of plugins and of other programs' folders need consent.
func Grants(set setup.Set) (items []consent.Item) {
	for _, e := range slices.Concat(set.Skills.Entries, set.Commands.Entries) {
		if needsConsent(e) {
			items = append(items, grants(e))
		}
	}
	return items
}

// voidRules returns a line for each rule of a skill or command that is not understood. It omits rules that
// a consent prompt will show.
func (b *Extensions) voidRules(set setup.Set) (lines []string) {
	for _, e := range slices.Concat(set.Skills.Entries, set.Commands.Entries) {
		for _, rule := range e.Allowed {
			if why, void := strings.CutPrefix(hookgates.NoEffectReason(rule), hookgates.NotUnderstoodPrefix); void && !needsConsent(e) {
				lines = append(lines, fmt.Sprintf("%s: allowed-tools %s is %s%s", b.Env.Workspace.Rel(e.File), rule, hookgates.NotUnderstoodPrefix, why))
			}
		}
	}
	return lines
}

// needsConsent reports whether an entry requests permissions and does not belong to the user.
func needsConsent(e *setup.Entry) bool {
	return !e.Own && slices.ContainsFunc(e.Allowed, func(text string) bool { return len(hookgates.TranslateRule(text)) > 0 })
}

// grants returns the permissions that a skill or command requests, as an item for consent.
func grants(e *setup.Entry) consent.Item {
	kind := "command "
	if e.IsSkill() {
		kind = "skill "
	}
	return consent.Item{
		Kind: consent.KindGrants, Name: kind + e.Name, Effects: e.Effects(hookgates.NoEffectReason), File: e.File, User: e.Origin != setup.OriginProject,
	}
}
