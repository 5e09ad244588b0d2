package gate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"agent/internal/protect"
	"agent/internal/rules"
	"agent/internal/settings"
	"agent/internal/tools"
)

// A Policy holds the approvals that a user gave before a conversation began.
type Policy struct {
	// Allow contains the rules of --allow.
	Allow rules.Rules
	// AllowOutside contains the rules of --allow-outside, which also allow commands outside of the
	// sandbox.
	AllowOutside rules.Rules
	// Unattended is set if no user can answer an approval prompt. A call that needs approval is
	// then refused and ends the turn.
	Unattended bool
	// Keeper stores permissions permanently; nil stores none. ParseRule parses the rules of stored
	// permissions.
	Keeper    PermissionStore
	ParseRule func(text string) (rules.Rule, error)
	// OnGrants, which may be nil, receives the grants of the session after each change.
	OnGrants func([]rules.Permission)
}

// Consent decides which calls may run: by the mode, by rules, by the grants of the session, and
// otherwise by an approval prompt. It is safe for concurrent use.
type Consent struct {
	*allowances
	// agent is set for the Consent of a subagent. only is the mode of the subagent with the most
	// rights, "" for no separate limit.
	agent bool
	only  Mode
}

// allowances holds the permissions that a conversation shares with its subagents.
type allowances struct {
	*Policy
	settings *settings.Settings

	mu sync.Mutex
	// grants holds the grants of the session. once holds the calls that a user approved without a
	// grant, by form.
	grants []grant
	once   map[string][]string
	// confined is the number of consecutive commands in the sandbox that a user approved once.
	confined int
	// lent holds rules that apply until the end of the turn. They do not allow access to protected
	// files.
	lent rules.Rules
	// standing holds the rules of the repository that the user has approved. They do not allow
	// access to protected files either.
	standing rules.Rules
	// review restricts the mode to plan until the end of the turn.
	review bool
}

// NewConsent returns the Consent of a conversation, without grants.
func NewConsent(policy *Policy, s *settings.Settings) *Consent {
	return &Consent{allowances: &allowances{Policy: policy, settings: s}}
}

// ForAgent returns the Consent of a subagent. The subagent has every permission and the mode of the
// conversation, including later changes. Its mode never allows more than the mode only. A subagent
// cannot lend or revoke permissions.
func (c *Consent) ForAgent(only Mode) *Consent {
	return &Consent{allowances: c.allowances, agent: true, only: only}
}

// Gates returns the two gates of the Consent. The first refuses calls that the mode does not allow,
// the second requests approval.
func (c *Consent) Gates() []Gate {
	return []Gate{
		{Name: "mode", Stage: StageDeny, Check: c.deny},
		{Name: "approval", Stage: StageConsent, Check: c.check},
	}
}

// Mode returns the current approval mode.
func (c *Consent) Mode() Mode { return c.mode(c.IsReview()) }

// mode returns the current mode. review is set if the turn is a review.
func (c *Consent) mode(review bool) Mode {
	mode := Mode(settings.ApprovalMode.Value(c.settings))
	if review && !mode.IsReadOnly() {
		return ModePlan
	}
	if c.only != "" && mode.AllowsMoreThan(c.only) {
		return c.only
	}
	return mode
}

// WouldAsk reports whether a call would require approval now.
func (c *Consent) WouldAsk(k Call) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	asks, _ := c.decide(k)
	return asks
}

// decide reports whether a call requires approval. Otherwise it returns the basis that allows it.
// The caller holds the lock.
func (c *Consent) decide(k Call) (asks bool, by Basis) {
	if (len(k.Preview.Inquiries) > 0 || k.Preview.Plan != "") && !c.Unattended {
		return true, ungranted
	}
	by = c.allowed(k)
	return by == ungranted, by
}

// deny refuses calls that the mode never allows.
func (c *Consent) deny(_ context.Context, k Call) Verdict {
	mode := c.Mode()
	asks := k.Traits.OnlyUsesNetwork() && k.Preview.Served == nil && !c.Unattended // the web needs approval
	if !mode.IsReadOnly() || k.Traits.IsHarmless() || asks || !c.WouldAsk(k) {
		return Verdict{}
	}
	refusal := fmt.Sprintf("refused: the approval mode is %s; answer without changing anything, or say what you would do", mode)
	if mode == ModePlan {
		refusal = "refused: nothing may change in approval mode plan; " + c.planning()
	}
	return Verdict{Refusal: refusal}
}

// check returns the verdict on a call that no other gate has refused.
func (c *Consent) check(_ context.Context, k Call) Verdict {
	switch {
	case k.Preview.Plan != "":
		return c.checkPlan(k)
	case len(k.Preview.Inquiries) > 0 && !c.Unattended:
		return Verdict{Ask: &Question{Approval: Approval{Tool: k.Name, Traits: k.Traits, Preview: k.Preview}, Then: inquired(len(k.Preview.Inquiries))}}
	}
	c.mu.Lock()
	asks, by := c.decide(k)
	c.mu.Unlock()
	switch protected := k.Preview.Protected; {
	case !asks:
		c.count(k)
		return Verdict{By: by}
	case k.Traits.IsHarmless() && c.Unattended:
		return Verdict{
			Refusal: fmt.Sprintf("refused: %s, and there is no user to ask; do without it", because(protected)),
			Notice:  fmt.Sprintf("%s was refused: %s; allow it with --allow '%s(%s)'", k.Said.Title(), because(protected), k.Name, protected[0].Path),
			End:     c.DenialError(),
		}
	case c.Unattended:
		return Verdict{
			Refusal: fmt.Sprintf("refused: %s requires approval in mode %s, and there is no user to ask", k.Name, c.Mode()),
			Notice:  fmt.Sprintf("%s was refused: %s", inWords(k), c.remedy(k)),
			End:     ErrDenied,
		}
	}
	return Verdict{Ask: c.question(k)}
}

func (c *Consent) question(k Call) *Question {
	offered := offer(k)
	keep := len(offered) > 0 && c.mayKeep(k)
	approval := Approval{Tool: k.Name, Traits: k.Traits, Preview: k.Preview, Always: strings.Join(saying(offered), ", ")}
	approval.Sandbox = c.offerMode(k)
	if keep {
		approval.ForGood, approval.Often = approval.Always+permitted(offered), c.often(offered)
	}
	return &Question{
		Approval: approval,
		Obsolete: func() bool { return !c.WouldAsk(k) },
		Then: func(d Decision) Verdict {
			verdict := VerdictOf(d)
			c.countConfined(k, d)
			switch {
			case d.Allow && d.Sandbox && approval.Sandbox != "":
				verdict.Notice = c.leaveAsk()
			case d.Allow && (d.Always || d.Keep && keep):
				verdict.Notice = c.allow(offered, d.Keep && keep)
			case d.Allow:
				c.remember(offered, k)
			}
			return verdict
		},
	}
}

// SideQuestion returns the approval prompt for an action in addition to a call, such as a check. The call
// passes with either answer, and then receives the answer.
func (c *Consent) SideQuestion(k Call, then func(allowed bool)) *Question {
	question := c.question(k)
	decided := question.Then
	question.Aside, question.Then = true, func(d Decision) Verdict {
		decided(d)
		then(d.Allow)
		return Verdict{}
	}
	return question
}

// inquired returns the function for the verdict on n questions of a call to the user. Modes and
// rules cannot answer these questions.
func inquired(n int) func(Decision) Verdict {
	return func(d Decision) Verdict {
		switch {
		case d.Allow && len(d.Answers) == n:
			return Verdict{Answers: d.Answers}
		case d.Reason != "":
			return Verdict{Refusal: "the user did not choose, but said: " + d.Reason}
		}
		return Verdict{Refusal: "the user did not answer", End: ErrDenied}
	}
}

// VerdictOf returns the verdict for the answer to an approval prompt.
func VerdictOf(d Decision) Verdict {
	switch {
	case d.Allow:
		return Verdict{}
	case d.Reason == "":
		return Verdict{Refusal: "the user refused this call", End: ErrDenied}
	}
	return Verdict{Refusal: "the user refused this call: " + d.Reason}
}

// inWords describes a call with its arguments, for a notice.
func inWords(k Call) string {
	if arguments := k.Preview.Arguments; len(arguments) > 0 {
		return k.Name + " " + string(arguments)
	}
	return k.Said.Title()
}

// remedy returns the reason why a call is refused without an approval prompt, and the option that
// would allow the call.
func (c *Consent) remedy(k Call) string {
	if len(k.Preview.Protected) > 0 {
		return fmt.Sprintf("%s; to allow this, add a rule that names the file: --allow '%s(…%s…)'", because(k.Preview.Protected), k.Name, k.Preview.Protected[0].Name)
	}
	if s := k.Preview.Served; s != nil && s.Changed != "" {
		return fmt.Sprintf("the server changed the definition of %s since its last use. To compare, run: agent mcp get %s. To accept the new definition, start agent without -p and approve a call of this tool", s, s.Server)
	} else if s != nil {
		return fmt.Sprintf("approval-mode is %s; to allow the call, use --approval-mode or --allow '%s(%s)'", c.Mode(), tools.ServedRules, s)
	}
	if c.Mode() == ModeFullAuto { // full-auto requires approval only in the home folder
		return k.Preview.Unwatched + "; to start in another folder, use -C"
	}
	flag := "--allow"
	if k.Preview.Outside != "" {
		flag = "--allow-outside"
	}
	for _, word := range slices.Concat(k.Preview.Commands...) {
		if word.Written {
			return fmt.Sprintf("sandboxed commands may have changed %s, which would run outside the sandbox. Allow it with a rule: %s '%s(…)'", word.Text, flag, k.Name)
		}
	}
	return fmt.Sprintf("approval-mode is %s; to allow the call, use --approval-mode or %s '%s(…)'", c.Mode(), flag, k.Name)
}

// because returns the protected files of a call, each with the reason for its protection.
func because(protected []protect.File) string {
	var says []string
	for _, found := range protected {
		says = append(says, found.Path+": "+found.Why)
	}
	return strings.Join(says, "; ")
}

// A Basis is what allows a call to run without approval. The zero value allows nothing.
type Basis struct {
	// By is "mode NAME", "rules", "hooks", "person" for an earlier permission, "server" or
	// "program".
	By string
	// Rule names the rules or the permission, or the property of the call that allows it.
	Rule string
}

// ungranted is the Basis of calls that are not allowed.
var ungranted Basis

// byRules returns the Basis of rules, none if there are none.
func byRules(by rules.Rules) Basis {
	if len(by) == 0 {
		return ungranted
	}
	return Basis{"rules", by.String()}
}

// byGrant returns the Basis of the first grant that allows a call, none if no grant does.
func byGrant(grants []grant, allows func(grant) bool) Basis {
	if i := slices.IndexFunc(grants, allows); i >= 0 {
		return Basis{"person", "before: " + grants[i].says()}
	}
	return ungranted
}

// allowed returns what allows a call without approval. The caller holds the lock.
func (c *Consent) allowed(k Call) Basis {
	ground := c.allowedWith(c.grants, k)
	if ground == ungranted && c.Keeper != nil {
		ground = c.allowedWith(slices.Concat(c.grants, c.project()), k)
	}
	return ground
}

// allowedWith returns what allows a call without approval if the user had only these grants. The
// caller holds the lock.
func (c *Consent) allowedWith(grants []grant, k Call) Basis {
	mode, edits := c.mode(c.review), k.Traits.EditsOnly()
	byMode := Basis{By: "mode " + string(mode)}
	protected, uses := c.allowedProtected(k)
	switch {
	case !uses:
		return ungranted
	case k.Traits.IsHarmless():
		return cmp.Or(protected, Basis{"program", "it is read-only"})
	case k.Preview.ReadOnly && k.Preview.Served == nil:
		return cmp.Or(protected, Basis{"program", "proven read-only"})
	case mode == ModeFullAuto && !k.Preview.AtHome:
		return byMode
	case mode.IsReadOnly() && (!k.Traits.OnlyUsesNetwork() || k.Preview.Served != nil || c.Unattended): // even for a read-only tool
		return ungranted
	case k.Preview.ReadOnly:
		return Basis{"server", "it declares the tool read-only"}
	case k.Spared && k.Preview.Outside == "" && (k.Preview.Served == nil || k.Preview.Served.Changed == ""):
		return Basis{By: "hooks"}
	case k.Preview.Served != nil:
		return c.allowedServed(grants, *k.Preview.Served)
	case k.Preview.Outside != "":
		return cmp.Or(byRules(c.AllowOutside.MatchingRules(k.Name, k.Preview.Commands, k.Preview.Paths)), byGrant(grants, func(g grant) bool { return g.leaves(k) }))
	case mode == ModeAutoEdit && k.Preview.Unwatched == "" && (edits || k.Preview.Confined):
		return byMode
	}
	allowing := slices.Concat(c.Allow, c.standing, c.lent)
	for _, g := range grants {
		if g.holds(k) {
			allowing = append(allowing, g.rule)
		}
	}
	if k.Preview.Service != "" {
		return cmp.Or(byRules(allowing.MatchingHostRules(k.Name, k.Preview.Hosts)), byGrant(grants, func(g grant) bool { return g.Searches == k.Preview.Service }))
	}
	ground := byRules(allowing.MatchingRules(k.Name, k.Preview.Commands, k.Preview.Paths))
	if ground == ungranted && edits && editsGranted(grants, k.Preview.Paths) {
		ground = byGrant(grants, func(g grant) bool { return slices.ContainsFunc(k.Preview.Paths, g.edits) })
	}
	return ground
}

// allowedServed returns what allows a call of a server without approval. A grant is for the
// definition that the user approved, not for a later definition. The caller holds the lock.
func (c *Consent) allowedServed(grants []grant, s tools.ServerCall) Basis {
	switch {
	case s.Changed != "":
		return ungranted
	case s.Allowed:
		return Basis{"person", "before: all calls of this tool"}
	}
	byRule := func(r rules.Rules) Basis { return byRules(r.MatchingServerRules(tools.ServedRules, s.String())) }
	return cmp.Or(byRule(c.Allow), byRule(c.lent), byGrant(grants, func(g grant) bool { return g.serves(s) }))
}

// allowedProtected reports whether a call may use its protected files without approval. The mode
// allows them, or rules that name them do (D-60); by are these rules. No mode allows sending the
// text of a secret file, because that cannot be undone (D-121).
func (c *Consent) allowedProtected(k Call) (by Basis, may bool) {
	for _, found := range k.Preview.Protected {
		if found.Protection == protect.NeedsApproval && c.mode(c.review) == ModeFullAuto && (k.Traits.EditsOnly() || !found.Keys) {
			by = Basis{By: "mode " + string(ModeFullAuto)}
			continue
		}
		named := c.Allow.RulesNaming(found.Name)
		ground := cmp.Or(byRules(named.MatchingRules(k.Name, nil, []string{found.Path})), byRules(named.MatchingRules(k.Name, k.Preview.Commands, nil)))
		if ground == ungranted {
			return ungranted, false
		}
		by = ground
	}
	return by, true
}
