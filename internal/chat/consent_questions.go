package chat

import (
	"context"

	"agent/internal/gate"
	"agent/internal/tools"
)

// asker puts questions to the user. Only the owner goroutine of the chat uses it.
type asker struct {
	inbox inbox
	emit  emitter
	// relay puts the questions of a subagent to the user. It is nil in a conversation of the user.
	relay func(context.Context, gate.Question) (Decision, bool)
	// unattended is set if no user can be asked.
	unattended bool
	// others settles the other approval prompts after an answer, which may have approved their calls
	// too.
	others func()
	// open holds the open questions by id. Several may be open: while one question waits for its
	// approval, a running call or a subagent may ask another.
	open map[int]openQuestion
	// asked numbers the questions of a session.
	asked int
}

// openQuestion is a question that waits for its answer.
type openQuestion struct {
	decided chan Decision
	// moot reports whether the question no longer needs an answer. It may be nil.
	moot func() bool
}

// put shows a question and waits for its answer. It returns false if the turn ends first.
func (a *asker) put(ctx context.Context, question gate.Question) (Decision, bool) {
	if a.relay != nil {
		return a.putElsewhere(ctx, question)
	}
	id, decided := a.show(question)
	decision, answered := a.waitDecision(ctx, decided)
	a.settle(id)
	return decision, answered
}

// putElsewhere puts a question to the user through the parent, while the owner continues serving the
// inbox.
func (a *asker) putElsewhere(ctx context.Context, question gate.Question) (Decision, bool) {
	type answer struct {
		Decision
		given bool
	}
	answers := make(chan answer, 1)
	go func() {
		decision, given := a.relay(ctx, question)
		answers <- answer{decision, given}
	}()
	got, _ := await(a.inbox, answers)
	return got.Decision, got.given
}

// show shows a question. decided delivers its answer, after which the caller calls settle.
func (a *asker) show(question gate.Question) (id int, decided <-chan Decision) {
	a.asked++
	question.Approval.ID = a.asked
	a.open[a.asked] = openQuestion{make(chan Decision, 1), question.Obsolete}
	a.emit(ApprovalRequested{question.Approval})
	return a.asked, a.open[a.asked].decided
}

// settle reports that a question no longer needs an answer.
func (a *asker) settle(id int) {
	if id == 0 {
		return // the user never saw it
	}
	delete(a.open, id)
	a.emit(ApprovalSettled{ID: id})
}

// settleMoot approves the open questions whose calls a change of the settings now allows.
func (a *asker) settleMoot() {
	for id, question := range a.open {
		if question.moot != nil && question.moot() {
			a.answer(id, Decision{Allow: true})
		}
	}
}

// waitDecision waits for an answer. A change of the approval mode may meanwhile allow calls without
// one.
func (a *asker) waitDecision(ctx context.Context, decided <-chan Decision) (Decision, bool) {
	for {
		select {
		case d := <-decided:
			return d, true
		case <-ctx.Done():
			select {
			case d := <-decided: // Esc answers and interrupts; the answer arrived first
				return d, true
			default:
				return Decision{}, false
			}
		case act := <-a.inbox.acts:
			act()
			a.settleMoot()
		}
	}
}

// answer decides the question with this id, if it is still open.
func (a *asker) answer(id int, decision Decision) {
	if question, waits := a.open[id]; waits {
		question.decided <- decision
		delete(a.open, id)
	}
}

// An Inquirer puts questions to the user and returns the answer to each. It reports false if there is
// no answer.
type Inquirer func(ctx context.Context, title string, inquiries []tools.Inquiry) ([]tools.InquiryAnswer, bool)

// inquirer returns the Inquirer for the owner of the chat, or nil if no user can be asked.
func (a *asker) inquirer() Inquirer {
	if a.unattended {
		return nil
	}
	return func(ctx context.Context, title string, inquiries []tools.Inquiry) ([]tools.InquiryAnswer, bool) {
		decided, _ := a.put(ctx, gate.Question{Approval: Approval{Tool: title, Preview: tools.Preview{Title: title, Inquiries: inquiries}}})
		if !decided.Allow || len(decided.Answers) != len(inquiries) {
			return nil, false
		}
		return decided.Answers, true
	}
}
