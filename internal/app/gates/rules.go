package gates

import (
	"context"
	"slices"
	"sync/atomic"

	"agent/internal/gate"
	"agent/internal/protect"
	"agent/internal/rules"
	"agent/internal/setup"
	"agent/internal/setup/permissions"
	"agent/internal/tools"
	"agent/internal/words"
)

// Rules are those by which people have narrowed what an agent may do, and those of the
// skills of this turn. They hold in every mode.
type Rules struct {
	*Host
	permissions.Rules
	// Allowed are the rules of --allow.
	Allowed rules.Rules
	// Hidden are the files that rules deny reading.
	Hidden []string
	// disallowed are the rules of the skills of this turn.
	disallowed atomic.Pointer[permissions.Rules]
}

// longestProblem bounds what is said of a rule, in characters: anybody may have written it.
const longestProblem = 400

// FindRules finds the rules of the workspace and its user, which hold from now on, and what
// of them does not protect, which is said loudly.
func FindRules(h *Host, allowed rules.Rules) (g *Rules, notices []string) {
	root := h.Env.Workspace.Root()
	g = &Rules{Host: h, Allowed: allowed, Rules: permissions.Read(h.Where)}
	ignored, unread := findIgnored(root)
	hidden, unbound := g.Rules.Hidden()
	for _, problem := range slices.Concat(g.Problems, unread, unbound) {
		notices = append(notices, "NOT PROTECTED: "+words.Line(problem, longestProblem))
	}
	g.Hidden = hidden
	h.Env.Protected.Denied = append(h.Env.Protected.Denied, hidden...)
	h.Env.Protected.Ruled = func(abs string, edit bool) (why string, denied bool) {
		rule := g.Reading(abs)
		if edit {
			rule = g.Editing(abs)
		}
		if rule != nil {
			return rule.String(), rule.Effect == permissions.Deny
		}
		if !edit {
			why = ignored(abs)
		}
		return why, false
	}
	return g, notices
}

// Gate refuses what a rule denies, whatever else allows it, and asks where one says so.
func (g *Rules) Gate() gate.Gate {
	return gate.Gate{Name: "permissions", Stage: gate.Denies, Check: func(_ context.Context, k gate.Call) gate.Verdict {
		switch rule := g.against(k); {
		case rule == nil:
			return gate.Verdict{}
		case rule.Effect == permissions.Deny:
			return gate.Verdict{Refusal: "refused: " + rule.String() + "; do without it, or ask the user to change that rule"}
		default:
			return g.askedByRule(k, rule)
		}
	}}
}

// askedByRule asks about a command that a rule wants to be asked about. Files are asked
// about as protected ones are. What a person allowed by --allow is not asked about.
func (g *Rules) askedByRule(k gate.Call, rule *permissions.Rule) gate.Verdict {
	if k.Preview.Command == "" || g.Allowed.Allow(k.Name, k.Preview.Commands, k.Preview.Paths) && len(k.Preview.Commands) > 0 {
		return gate.Verdict{}
	}
	return g.ask(k, rule.String(), "refused: "+rule.String()+", and nobody is there to ask", rule.String()+"; --allow '"+k.Name+"(…)' that names it allows it")
}

// against returns the rule that a call is against, nil for none.
func (g *Rules) against(k gate.Call) *permissions.Rule {
	var found *permissions.Rule
	worse := func(rule *permissions.Rule) {
		if rule != nil && (found == nil || rule.Effect == permissions.Deny) {
			found = rule
		}
	}
	for _, rules := range []permissions.Rules{g.Rules, g.narrowed()} {
		if k.Preview.Command != "" {
			worse(rules.Command(k.Preview.Command))
			worse(rules.Files(k.Preview.Command, g.Absolute(k.Preview.Directory)))
		}
		if s := k.Preview.Served; s != nil {
			worse(rules.Server(s.HookName()))
		}
		if k.Traits.Reaches && !k.Traits.Runs && k.Preview.Served == nil {
			worse(rules.Page(host(k.Arguments)))
		}
		for _, file := range k.Preview.Protected {
			abs := g.Absolute(file.Path)
			if k.Traits.Harmless() {
				worse(rules.Reading(abs))
			} else {
				worse(rules.Editing(abs))
			}
		}
		for _, file := range k.Preview.Paths {
			if k.Traits.Edits {
				worse(rules.Editing(g.Absolute(file)))
			}
		}
	}
	return found
}

// Disallow has the tools that a skill must not use refused until the end of the turn. It
// returns what is not understood of that.
func (g *Rules) Disallow(s *setup.Entry) (problems []string) {
	if len(s.Disallowed) == 0 {
		return nil
	}
	rules := permissions.Join(g.narrowed(), permissions.Parse(permissions.Deny, s.Disallowed, g.Env.Workspace.Rel(s.File), g.Env.Workspace.Root(), g.Home))
	g.disallowed.Store(&rules)
	return rules.Problems
}

// EndTurn forgets the rules of the skills of the turn.
func (g *Rules) EndTurn() { g.disallowed.Store(nil) }

// narrowed are the rules of the skills of this turn.
func (g *Rules) narrowed() permissions.Rules {
	if rules := g.disallowed.Load(); rules != nil {
		return *rules
	}
	return permissions.Rules{}
}

// MayWrite reports whether the file of a path in the workspace would be written without a
// question.
func (g *Rules) MayWrite(rel string) bool {
	const tool = "write_file"
	call := gate.Call{Name: tool, Traits: g.Registry.Traits(tool), Preview: tools.Preview{Paths: []string{rel}}}
	if found := g.Env.Protected.Edit(g.Absolute(rel), rel); found.Care != protect.Free {
		call.Preview.Protected = []protect.Found{found}
	}
	return !g.Chat().Consent().Asks(call)
}
