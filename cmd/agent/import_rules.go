package main

import (
	"context"
	"fmt"
	"slices"

	"agent/internal/app"
	"agent/internal/base/humanize"
	"agent/internal/extend/setup/consent"
	"agent/internal/extend/setup/imports"
	"agent/internal/rules"
	"agent/internal/tools"
)

// importedRules holds the rules of an import that can be kept for the project of the current folder.
type importedRules struct {
	permissions *consent.Permissions
	add         []rules.Permission
	says        []string
}

// keepable returns the rules of a plan that can be kept. For each other rule it adds the reason to the
// plan. An import reads no rules of a repository; agent trust asks about those rules.
func keepable(w world, f app.Folders, plan imports.Plan) (found importedRules) {
	found.permissions = consent.OpenPermissions(w.process.TrustedLocations(f, w.process.Dir), w.process.Now)
	registry := tools.NewRegistry(tools.Default()...)
	for i, change := range plan.Changes {
		for _, text := range change.Rules {
			rule, err := registry.ParseRule(text)
			why := ""
			switch {
			case err != nil:
				why = err.Error()
			case found.permissions == nil:
				why = "this folder can't store rules; pass the rule with --allow in each run"
			default:
				if why = rule.NotStorableReason(); why != "" {
					why += "; pass it with --allow in each run"
				}
			}
			if why != "" {
				plan.Changes[i].Lost = append(plan.Changes[i].Lost, text+" is not saved: "+why)
				continue
			}
			kept := rules.Permission{Rule: rule.String()}
			if !rule.IsCommandRule() {
				kept.Directory = "."
			}
			if !slices.ContainsFunc(found.add, kept.SameAs) && !slices.ContainsFunc(found.permissions.Permissions(), kept.SameAs) {
				found.add, found.says = append(found.add, kept), append(found.says, rule.Describe())
			}
		}
	}
	return found
}

// offer asks whether to keep the rules, unless yes is set.
func (found importedRules) offer(ctx context.Context, w world, yes bool) error {
	if len(found.add) == 0 {
		return nil
	}
	lines := []string{"", "These calls will run without approval, in every session in " + humanize.EscapeInvisible(found.permissions.Place()) + ":"}
	for _, says := range found.says {
		lines = append(lines, "  "+humanize.EscapeInvisible(says))
	}
	lines = append(lines, "\"…\" and * match any text. Commands run in the sandbox. Without a sandbox they require approval.")
	if err := w.print(lines...); err != nil {
		return err
	}
	ask := askOnTerminal(w)
	switch {
	case yes:
	case ask == nil:
		return w.print("Rules not saved: there is no user to confirm them. To save them, add --keep-rules.")
	default:
		var err error
		if yes, err = ask(ctx, fmt.Sprintf("Save %s for this project?", humanize.Count(len(found.add), "rule"))); err != nil || !yes {
			return err
		}
	}
	if err := found.permissions.Add(found.add...); err != nil {
		return err
	}
	return w.print(humanize.Count(len(found.add), "rule") + " saved. To list or revoke them, type /approval in a session.")
}
