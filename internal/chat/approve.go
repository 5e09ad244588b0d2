package chat

import (
	"context"
	"fmt"
	"slices"

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
}

// approve decides whether a call may run, by mode, rules and, where they leave it
// open, by a person. A call that may not is marked refused; the stop it returns
// ends the turn.
func (a *approvals) approve(ctx context.Context, k *call) Stop {
	if k.tool.Kind == tools.KindRead {
		return ""
	}
	preview := k.plan.Preview
	switch {
	case a.allowed(k, preview):
		return ""
	case a.mode() == ModeReadOnly && !a.Unattended:
		k.refused = "refused: the approval mode is read-only; answer without changing anything, or say what you would do"
		return ""
	case a.Unattended:
		k.refused = fmt.Sprintf("refused: %s needs an approval that the mode %s does not give and nobody is there to ask", k.name, a.mode())
		a.notice("%s was refused: approval-mode is %s; allow it with --approval-mode or %s '%s(…)'", k.title, a.mode(), allowFlag(preview), k.name)
		return StopDenied
	}
	return a.askPerson(ctx, k, preview)
}

// allowFlag is the flag whose rules would allow a call.
func allowFlag(preview tools.Preview) string {
	if preview.Outside != "" {
		return "--allow-outside"
	}
	return "--allow"
}

// allowed reports whether a call runs without asking.
func (a *approvals) allowed(k *call, preview tools.Preview) bool {
	mode, edits := a.mode(), k.tool.Kind == tools.KindEdit
	switch {
	case preview.ReadOnly || mode == ModeFullAuto:
		return true
	case mode == ModeReadOnly:
		return false
	case preview.Outside != "":
		return a.AllowOutside.Allow(k.name, preview.Commands, preview.Paths) || slices.ContainsFunc(a.grants, func(g grant) bool { return g.outside != "" && g.outside == preview.Command })
	case mode == ModeAutoEdit && (edits || preview.Confined):
		return true
	}
	allowing := a.Allow
	for _, g := range a.grants {
		allowing = append(allowing[:len(allowing):len(allowing)], g.rules...)
	}
	return allowing.Allow(k.name, preview.Commands, preview.Paths) || edits && a.editsGranted(preview.Paths)
}

// askPerson shows the approval and waits for its answer.
func (a *approvals) askPerson(ctx context.Context, k *call, preview tools.Preview) Stop {
	a.asked++
	offered := offer(k, preview)
	pending := &pendingApproval{id: a.asked, decided: make(chan Decision, 1)}
	a.pending = pending
	a.Emit(ApprovalRequested{Approval{ID: pending.id, Tool: k.name, Kind: k.tool.Kind, Preview: preview, Always: allowedBy(offered)}})
	decision, answered := a.waitDecision(ctx, pending, func() bool { return a.allowed(k, preview) })
	a.pending = nil
	a.Emit(ApprovalSettled{ID: pending.id})
	switch {
	case !answered:
		k.refused = "not run: the user interrupted instead of answering"
	case !decision.Allow && decision.Reason == "":
		k.refused = "the user refused this call"
		return StopDenied
	case !decision.Allow:
		k.refused = "the user refused this call: " + decision.Reason
	case decision.Always:
		a.grants = append(a.grants, offered...)
	}
	return ""
}

// waitDecision waits for an answer. A mode that was changed meanwhile may be one.
func (a *approvals) waitDecision(ctx context.Context, pending *pendingApproval, allowed func() bool) (Decision, bool) {
	for {
		select {
		case d := <-pending.decided:
			return d, true
		case <-ctx.Done():
			return Decision{}, false
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
