package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agent/internal/protect"
	"agent/internal/settings"
	"agent/internal/tools"
)

// pendingApproval is the question the owner waits on.
type pendingApproval struct {
	id      int
	decided chan Decision
}

// approvals decides which calls may run. It belongs to the owner of the chat.
type approvals struct {
	*Config
	inbox   inbox
	grants  []grant
	pending *pendingApproval
	// asked numbers the questions of a session.
	asked int
	// after plans the calls of the reply that come after the one that is decided, to say
	// what will be asked next; nil for none.
	after func(ctx context.Context) []*call
}

// approve decides whether a call may run, by mode, rules and, where they leave it
// open, by a person. A call that may not is marked refused; the stop it returns
// ends the turn.
func (a *approvals) approve(ctx context.Context, k *call) Stop {
	preview := k.plan.Preview
	reads := k.tool.Harmless()
	switch {
	case reads && len(preview.Protected) == 0:
		return ""
	case a.allowed(k, preview):
		return ""
	case reads && a.Unattended:
		k.refused = fmt.Sprintf("refused: %s, and nobody is there to ask; do without it", because(preview.Protected))
		a.notice("%s was refused: %s; allow it with --allow '%s(%s)'", k.said.Title(), because(preview.Protected), k.name, preview.Protected[0].Path)
		return ""
	case a.mode() == ModeReadOnly && !a.Unattended && !reads:
		k.refused = "refused: the approval mode is read-only; answer without changing anything, or say what you would do"
		return ""
	case a.Unattended:
		k.refused = fmt.Sprintf("refused: %s needs an approval that the mode %s does not give and nobody is there to ask", k.name, a.mode())
		a.notice("%s was refused: %s", inWords(k), a.remedy(k, preview))
		return StopDenied
	}
	return a.askPerson(ctx, k, preview)
}

// inWords says a call to somebody who is not asked about it, with the arguments that a
// question would show.
func inWords(k *call) string {
	if arguments := k.plan.Preview.Arguments; len(arguments) > 0 {
		return k.name + " " + string(arguments)
	}
	return k.said.Title()
}

// remedy says why a call was refused that nobody could be asked about, and what would
// allow it.
func (a *approvals) remedy(k *call, preview tools.Preview) string {
	if len(preview.Protected) > 0 {
		return fmt.Sprintf("%s; only a rule that names it allows that: --allow '%s(…%s…)'", because(preview.Protected), k.name, preview.Protected[0].Name)
	}
	flag := "--allow"
	if preview.Outside != "" {
		flag = "--allow-outside"
	}
	return fmt.Sprintf("approval-mode is %s; allow it with --approval-mode or %s '%s(…)'", a.mode(), flag, k.name)
}

// because says which files a call is asked about, and why.
func because(protected []protect.Found) string {
	var says []string
	for _, found := range protected {
		says = append(says, found.Path+": "+found.Why)
	}
	return strings.Join(says, "; ")
}

// allowed reports whether a call runs without asking.
func (a *approvals) allowed(k *call, preview tools.Preview) bool {
	mode, edits := a.mode(), k.tool.EditsOnly()
	switch {
	case len(preview.Protected) > 0 && !a.allowedProtected(k, preview):
		return false
	case k.tool.Harmless():
		return true
	case preview.ReadOnly || mode == ModeFullAuto:
		return true
	case mode == ModeReadOnly:
		return false
	case preview.Outside != "":
		return a.AllowOutside.Allow(k.name, preview.Commands, preview.Paths) || slices.ContainsFunc(a.grants, func(g grant) bool {
			return g.outside != "" && g.outside == preview.Command && g.directory == preview.Directory
		})
	case mode == ModeAutoEdit && preview.Unwatched == "" && (edits || preview.Confined):
		return true
	}
	allowing := a.Allow
	for _, g := range a.grants {
		allowing = append(allowing[:len(allowing):len(allowing)], g.rules...)
	}
	return allowing.Allow(k.name, preview.Commands, preview.Paths) || edits && a.editsGranted(preview.Paths)
}

// allowedProtected reports whether the protected files of a call need no question:
// by the mode, or by rules that name them (D-60).
func (a *approvals) allowedProtected(k *call, preview tools.Preview) bool {
	for _, found := range preview.Protected {
		named := a.Allow.Naming(found.Name)
		switch {
		case found.Care == protect.Asked && a.mode() == ModeFullAuto:
		case preview.Command == "" && named.Allow(k.name, nil, []string{found.Path}):
		case preview.Command != "" && named.Allow(k.name, preview.Commands, nil):
		default:
			return false
		}
	}
	return true
}

// askPerson shows the approval and waits for its answer.
func (a *approvals) askPerson(ctx context.Context, k *call, preview tools.Preview) Stop {
	offered := offer(k, preview)
	asked := Approval{Tool: k.name, Traits: k.tool.Traits, Preview: preview, Always: allowedBy(offered), After: a.askedLater(ctx)}
	decision, answered := a.put(ctx, asked, func() bool { return a.allowed(k, preview) })
	switch {
	case !answered:
		k.refused, k.unanswered = "not run: the user interrupted instead of answering", true
	case !decision.Allow && decision.Reason == "":
		k.refused, k.denied = "the user refused this call", &decision
		return StopDenied
	case !decision.Allow:
		k.refused, k.denied = "the user refused this call: "+decision.Reason, &decision
	case decision.Always:
		a.grants = append(a.grants, offered...)
	}
	return ""
}

// askedLater says which of the calls that come will be asked about as well.
func (a *approvals) askedLater(ctx context.Context) (titles []string) {
	if a.after == nil {
		return nil
	}
	for _, k := range a.after(ctx) {
		if preview := k.plan.Preview; !(k.tool.Harmless() && len(preview.Protected) == 0) && !a.allowed(k, preview) {
			titles = append(titles, preview.Title)
		}
	}
	return titles
}

// put shows a question and waits for its answer. It reports false when the turn ended
// first.
func (a *approvals) put(ctx context.Context, question Approval, allowed func() bool) (Decision, bool) {
	a.asked++
	question.ID = a.asked
	pending := &pendingApproval{id: question.ID, decided: make(chan Decision, 1)}
	a.pending = pending
	a.Emit(ApprovalRequested{question})
	decision, answered := a.waitDecision(ctx, pending, allowed)
	a.pending = nil
	a.Emit(ApprovalSettled{ID: pending.id})
	return decision, answered
}

// waitDecision waits for an answer. A mode that was changed meanwhile may be one.
func (a *approvals) waitDecision(ctx context.Context, pending *pendingApproval, allowed func() bool) (Decision, bool) {
	for {
		select {
		case d := <-pending.decided:
			return d, true
		case <-ctx.Done():
			select {
			case d := <-pending.decided: // Esc answers and interrupts: its answer came first
				return d, true
			default:
				return Decision{}, false
			}
		case act := <-a.inbox:
			act()
			if a.pending != nil && allowed() {
				return Decision{Allow: true}, true
			}
		}
	}
}

// answer decides the question with this id, if it is still open.
func (a *approvals) answer(id int, decision Decision) {
	if a.pending != nil && a.pending.id == id {
		a.pending.decided <- decision
		a.pending = nil
	}
}

func (a *approvals) mode() ApprovalMode { return ApprovalMode(settings.ApprovalMode.Of(a.Settings)) }

// Mode is the approval mode in force. It may be called from any goroutine.
func (c *Chat) Mode() ApprovalMode { return c.approvals.mode() }

// nextMode returns the mode that Shift+Tab turns to.
func nextMode(mode ApprovalMode) ApprovalMode {
	modes := ApprovalModes()
	return modes[(slices.Index(modes, mode)+1)%len(modes)]
}

// SetMode changes the approval mode for the rest of the session. It may be called
// from any goroutine.
func (c *Chat) SetMode(mode ApprovalMode) error {
	return c.Settings.Set(settings.Session, settings.ApprovalMode.Key(), string(mode))
}
