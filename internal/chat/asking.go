package chat

import (
	"context"

	"agent/internal/gate"
	"agent/internal/tools"
)

// Types of consent for front ends; the gates decide.
type (
	// Approval is a call or a turn that waits for a person's decision.
	Approval = gate.Approval
	// Decision answers an Approval.
	Decision = gate.Decision
)

// asker puts questions to the person. It belongs to the owner of the chat.
type asker struct {
	*Config
	inbox inbox
	// open receives the answers to the open questions, by their ids. Several may be open, for a
	// running call may ask while another waits for its approval.
	open map[int]chan Decision
	// asked numbers the questions of a session.
	asked int
}

// put shows a question and waits for its answer. It reports false if the turn ends first.
func (a *asker) put(ctx context.Context, question gate.Question) (Decision, bool) {
	a.asked++
	id := a.asked
	question.Approval.ID = id
	a.open[id] = make(chan Decision, 1)
	a.Emit(ApprovalRequested{question.Approval})
	decision, answered := a.waitDecision(ctx, id, a.open[id], question.Moot)
	delete(a.open, id)
	a.Emit(ApprovalSettled{ID: id})
	return decision, answered
}

// waitDecision waits for an answer. A change of the mode meanwhile may allow the call without
// one, as moot reports.
func (a *asker) waitDecision(ctx context.Context, id int, decided <-chan Decision, moot func() bool) (Decision, bool) {
	for {
		select {
		case d := <-decided:
			return d, true
		case <-ctx.Done():
			select {
			case d := <-decided: // Esc answers and interrupts: its answer came first
				return d, true
			default:
				return Decision{}, false
			}
		case act := <-a.inbox:
			act()
			if a.open[id] != nil && moot != nil && moot() {
				return Decision{Allow: true}, true
			}
		}
	}
}

// answer decides the question with this id, if it is still open.
func (a *asker) answer(id int, decision Decision) {
	if decided := a.open[id]; decided != nil {
		decided <- decision
		delete(a.open, id)
	}
}

// Inquire puts the questions of a running call to the person, and returns the answer to each. It
// reports false if nobody answers. It may be called from any goroutine; questions come one after
// another.
func (c *Chat) Inquire(ctx context.Context, title string, inquiries []tools.Inquiry) ([]tools.Given, bool) {
	if c.Unattended || len(inquiries) == 0 {
		return nil, false
	}
	select {
	case c.inquiring <- struct{}{}:
		defer func() { <-c.inquiring }()
	case <-ctx.Done():
		return nil, false
	}
	decided, err := ask(ctx, c.inbox, func() Decision {
		d, _ := c.asker.put(ctx, gate.Question{Approval: Approval{Tool: title, Preview: tools.Preview{Title: title, Inquiries: inquiries}}})
		return d
	})
	if err != nil || !decided.Allow || len(decided.Answers) != len(inquiries) {
		return nil, false
	}
	return decided.Answers, true
}
