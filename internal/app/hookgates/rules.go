package hookgates

import (
	"context"
	"slices"
	"sync/atomic"

	"agent/internal/base/humanize"
	"agent/internal/cmdline"
	"agent/internal/extend/setup"
	"agent/internal/extend/setup/permissions"
	"agent/internal/extend/setup/trustedfile"
	"agent/internal/gate"
	"agent/internal/protect"
	"agent/internal/tools"
	"agent/internal/workspace"
)

// Rules holds the permission rules of the user, the repository and the skills of this turn. They can only
// restrict the permissions of an agent, and apply in every mode.
type Rules struct {
	permissions.Rules
	// Hidden lists files that rules forbid to read.
	Hidden []string
	// Fixed lists files that rules forbid to change.
	Fixed []string
	// ignored returns the reason why a file counts as ignored, or "" if it does not. It is nil if there are
	// no ignored files.
	ignored func(abs string) string
	// consent holds the rules of the flag --allow. known holds the tools that these rules may name.
	consent   *gate.Consent
	known     *tools.Registry
	workspace *workspace.Workspace
	home      string
	// disallowed holds the rules of the skills of this turn.
	disallowed atomic.Pointer[permissions.Rules]
}

// longestProblem limits the message about a rule with a syntax error, in characters. The message quotes a
// file of the repository.
const longestProblem = 400

// FindRules reads the rules of a workspace and its user. The rules in above take precedence. notices warn
// of rules that do not protect.
func FindRules(w trustedfile.Locations, above permissions.Rules, in *workspace.Workspace, consent *gate.Consent, known *tools.Registry) (g *Rules, notices []string) {
	g = &Rules{Rules: permissions.Read(w).PrependRules(above), workspace: in, home: w.Home, consent: consent, known: known}
	ignored, unread := findIgnored(in.Root())
	hidden, unbound := g.Rules.UnreadablePaths()
	fixed, unfixed := g.Rules.UnwritablePaths()
	for _, problem := range slices.Concat(g.Problems, unread, unbound, unfixed) {
		notices = append(notices, "NOT PROTECTED: "+humanize.Line(problem, longestProblem))
	}
	g.Hidden, g.Fixed, g.ignored = hidden, fixed, ignored
	return g, notices
}

// RuleForFile returns the reason why a rule protects a file from being read, or edited if edit is set. It
// returns "" if no rule does. denied reports whether the rule denies the access.
func (g *Rules) RuleForFile(abs string, edit bool) (why string, denied bool) {
	rule := g.ReadRule(abs)
	if edit {
		rule = g.EditRule(abs)
	}
	if rule != nil {
		return rule.String(), rule.Effect == permissions.Deny
	}
	if !edit && g.ignored != nil {
		why = g.ignored(abs)
	}
	return why, false
}

// MayAskToRead reports whether reading some files may require approval.
func (g *Rules) MayAskToRead() bool { return g.ignored != nil || g.AsksToRead() }

// IsAllowedByName reports whether a rule of --allow names a protected file for a tool that reads. A command or a
// skill may then include the file.
func (g *Rules) IsAllowedByName(found protect.File) bool {
	named := g.consent.Allow.RulesNaming(found.Name)
	return !found.Denied && slices.ContainsFunc(g.known.All(), func(t tools.Tool) bool {
		return t.Reads && !t.Network && named.Allows(t.Name, nil, []string{found.Path})
	})
}

// Gate returns the gate that refuses a call if a rule denies it, and asks the user if a rule requires
// approval. A rule that denies takes precedence over all rules that allow the call.
func (g *Rules) Gate() gate.Gate {
	return gate.Gate{Name: "permissions", Stage: gate.StageDeny, Check: func(_ context.Context, k gate.Call) gate.Verdict {
		switch rule := g.ruleAgainst(k); {
		case rule == nil:
			return gate.Verdict{}
		case rule.Effect == permissions.Deny:
			return gate.Verdict{Refusal: "refused: " + rule.String() + "; do without this call, or ask the user to change the rule"}
		default:
			return g.askedByRule(k, rule)
		}
	}}
}

// askedByRule returns an approval prompt for a command, because a rule requires approval. A rule of --allow
// makes the prompt unnecessary. Rules about files are not handled here: their files count as protected, and
// protected files require approval elsewhere.
func (g *Rules) askedByRule(k gate.Call, rule *permissions.Rule) gate.Verdict {
	if k.Preview.Command == "" || g.consent.Allow.Allows(k.Name, k.Preview.Commands, k.Preview.Paths) && len(k.Preview.Commands) > 0 {
		return gate.Verdict{}
	}
	return ask(g.consent, k, rule.String(), "refused: "+rule.String()+", and there is no user to ask", rule.String()+"; to allow the call, use --allow '"+k.Name+"(…)'")
}

// ruleAgainst returns a rule that matches a call, or nil for none.
func (g *Rules) ruleAgainst(k gate.Call) *permissions.Rule {
	return RuleFor(k, func(path string) string { return absolute(g.workspace, path) }, g.Rules, g.skillRules())
}

// RuleFor returns a rule that matches a call, or nil for none. A rule that denies takes precedence over a
// rule that requires approval. absolute returns the absolute path of a path in the call.
func RuleFor(k gate.Call, absolute func(path string) string, all ...permissions.Rules) *permissions.Rule {
	var worst *permissions.Rule
	worse := func(rule *permissions.Rule) {
		if rule != nil && (worst == nil || rule.Effect == permissions.Deny) {
			worst = rule
		}
	}
	for _, rules := range all {
		if k.Preview.Command != "" {
			line := cmdline.Read(k.Preview.Command)
			worse(rules.CommandRule(line))
			worse(rules.CommandFilesRule(line, absolute(k.Preview.Directory)))
		}
		if s := k.Preview.Served; s != nil {
			worse(rules.ServerRule(s.HookName()))
		}
		switch {
		case k.Traits.Searches:
			worse(rules.SearchRule())
		case k.Traits.Network && !k.Traits.Runs && k.Preview.Served == nil:
			worse(rules.PageRule(PageHost(k)))
		}
		for _, file := range k.Preview.Protected {
			abs := absolute(file.Path)
			if k.Traits.IsHarmless() {
				worse(rules.ReadRule(abs))
			} else {
				worse(rules.EditRule(abs))
			}
		}
		for _, file := range k.Preview.Paths {
			if k.Traits.Edits {
				worse(rules.EditRule(absolute(file)))
			}
		}
	}
	return worst
}

// DeniesHost reports whether a rule forbids the pages of a host.
func (g *Rules) DeniesHost(host string) bool {
	return g.RuleAgainstHost(host) != nil || g.skillRules().RuleAgainstHost(host) != nil
}

// BlockedHosts returns the hosts that the rules exclude from web searches, for a server that can omit them.
func (g *Rules) BlockedHosts() []string {
	hosts, _ := g.Rules.BlockedHosts()
	return hosts
}

// SearchLimitRule returns a rule that limits web searches, or "" for none. leavesOut is set if the searching
// server omits BlockedHosts.
func (g *Rules) SearchLimitRule(leavesOut bool) string {
	all := []permissions.Rules{g.Rules, g.skillRules()}
	if _, only := g.Rules.BlockedHosts(); only && leavesOut {
		all = all[1:] // rules of skills end with the turn, but the tools of a request stay the same
	}
	for _, rules := range all {
		if rule := rules.WebRule(); rule != nil {
			return rule.String()
		}
	}
	return ""
}

// Disallow forbids the tools that a skill must not use, until the end of the turn. It returns the problems
// in the skill's rules.
func (g *Rules) Disallow(s *setup.Entry) (problems []string) {
	if len(s.Disallowed) == 0 {
		return nil
	}
	rules := permissions.Join(g.skillRules(), permissions.Parse(permissions.Deny, s.Disallowed, g.workspace.Rel(s.File), g.workspace.Root(), g.home))
	g.disallowed.Store(&rules)
	return rules.Problems
}

// EndTurn removes the rules of the turn's skills.
func (g *Rules) EndTurn() { g.disallowed.Store(nil) }

func (g *Rules) skillRules() permissions.Rules {
	if rules := g.disallowed.Load(); rules != nil {
		return *rules
	}
	return permissions.Rules{}
}

// MayWrite reports whether write_file could write a file of the workspace without approval.
func (h *Host) MayWrite(rel string) bool {
	const tool = "write_file"
	call := gate.Call{Name: tool, Traits: h.Known.Traits(tool), Preview: tools.Preview{Paths: []string{rel}}}
	if file := h.Env.Protected.EditProtection(h.Absolute(rel), rel); file.Protection != protect.Unprotected {
		call.Preview.Protected = []protect.File{file}
	}
	return !h.Consent.WouldAsk(call)
}
