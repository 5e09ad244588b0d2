package chat

import (
	"context"
	"slices"

	"agent/internal/gate"
	"agent/internal/settings"
)

// What front ends need of consent; the gates decide.
type (
	// Approval is a call that waits for a person's decision, or a turn that does.
	Approval = gate.Approval
	// Decision answers an Approval.
	Decision = gate.Decision
)

// pendingApproval is the question the owner waits on.
type pendingApproval struct {
	id      int
	decided chan Decision
}

// asker puts questions to the person. It belongs to the owner of the chat.
type asker struct {
	*Config
	inbox   inbox
	pending *pendingApproval
	// asked numbers the questions of a session.
	asked int
}

// put shows a question and waits for its answer. It reports false when the turn ended
// first.
func (a *asker) put(ctx context.Context, question gate.Question) (Decision, bool) {
	a.asked++
	question.Approval.ID = a.asked
	pending := &pendingApproval{id: a.asked, decided: make(chan Decision, 1)}
	a.pending = pending
	a.Emit(ApprovalRequested{question.Approval})
	decision, answered := a.waitDecision(ctx, pending, question.Moot)
	a.pending = nil
	a.Emit(ApprovalSettled{ID: pending.id})
	return decision, answered
}

// waitDecision waits for an answer. A mode that was changed meanwhile may be one.
func (a *asker) waitDecision(ctx context.Context, pending *pendingApproval, moot func() bool) (Decision, bool) {
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
			if a.pending != nil && moot != nil && moot() {
				return Decision{Allow: true}, true
			}
		}
	}
}

// answer decides the question with this id, if it is still open.
func (a *asker) answer(id int, decision Decision) {
	if a.pending != nil && a.pending.id == id {
		a.pending.decided <- decision
		a.pending = nil
	}
}

// Mode is the approval mode in force. It may be called from any goroutine.
func (c *Chat) Mode() gate.Mode { return c.consent.Mode() }

// nextMode returns the mode that Shift+Tab turns to.
func nextMode(mode gate.Mode) gate.Mode {
	modes := gate.Modes()
	return modes[(slices.Index(modes, mode)+1)%len(modes)]
}

// SetMode changes the approval mode for the rest of the session. It may be called
// from any goroutine.
func (c *Chat) SetMode(mode gate.Mode) error {
	return c.Settings.Set(settings.Session, settings.ApprovalMode.Key(), string(mode))
}

// Consent decides which calls may run. What is lent to it ends with the turn.
func (c *Chat) Consent() *gate.Consent { return c.consent }

// Grants lists what was allowed with "always", oldest first. It may be called from any
// goroutine.
func (c *Chat) Grants(context.Context) ([]string, error) { return c.consent.Grants(), nil }

// ForgetGrant takes back the grant with this number of the list, counted from 1, or all of
// them when it is 0. It returns what was forgotten.
func (c *Chat) ForgetGrant(_ context.Context, number int) ([]string, error) {
	return c.consent.Forget(number)
}
