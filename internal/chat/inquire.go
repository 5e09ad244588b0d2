package chat

import (
	"context"

	"agent/internal/gate"
	"agent/internal/tools"
)

// A Line leads from any goroutine to the owner of a chat. It is made before the chat, for the
// gates, servers and agents that the chat is made with and that speak to it. What they say waits
// for the owner.
type Line struct {
	inbox inbox
	// chat is set by New. Only functions in the inbox use it, and the owner of the chat runs them.
	chat *Chat
	// inquiring is a lock, held while the question of a running call is put to the user.
	inquiring chan struct{}
}

// NewLine returns the line of a chat to come.
func NewLine() *Line { return &Line{inbox: newInbox(), inquiring: make(chan struct{}, 1)} }

// End is called after the last Run or Prompt of a chat. Nothing waits for its owner after that: what
// is sent to the owner is lost, and questions fail.
func End(l *Line) { l.inbox.end() }

// Note shows a notice about something outside the conversation.
func (l *Line) Note(text string) {
	select {
	case l.inbox.acts <- func() { l.chat.emit.notice("%s", text) }:
	default: // a notice must not block the caller
	}
}

// Refresh reports the status again, after a change outside the chat.
func (l *Line) Refresh() {
	select {
	case l.inbox.acts <- func() { l.chat.emitStatus() }:
	default: // a busy chat reports its status soon anyway
	}
}

// WaitsFor reports that programs take long, or with "" that they have ended.
func (l *Line) WaitsFor(names string) {
	l.inbox.post(func() { l.chat.emit(ProgramWaiting{names}) })
}

// Inquire puts the questions of a running call to the user, and returns the answer to each. It
// reports false if nobody answers. Questions come one after another.
func (l *Line) Inquire(ctx context.Context, title string, inquiries []tools.Inquiry) ([]tools.InquiryAnswer, bool) {
	if len(inquiries) == 0 {
		return nil, false
	}
	select {
	case l.inquiring <- struct{}{}:
		defer func() { <-l.inquiring }()
	case <-ctx.Done():
		return nil, false
	}
	answers, err := ask(ctx, l.inbox, func() (answers []tools.InquiryAnswer) {
		if inquire := l.chat.asker.inquirer(&l.chat.config); inquire != nil {
			answers, _ = inquire(ctx, title, inquiries)
		}
		return answers
	})
	return answers, err == nil && answers != nil
}

// An Inquirer puts questions to the user and returns the answer to each. It reports false if nobody
// answers.
type Inquirer func(ctx context.Context, title string, inquiries []tools.Inquiry) ([]tools.InquiryAnswer, bool)

// inquirer returns the Inquirer for the owner of the chat, nil if no user can be asked.
func (a *asker) inquirer(c *Config) Inquirer {
	if c.Policy.Unattended {
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

// A FailedRequest is a request of the conversation that failed after all retries.
type FailedRequest struct {
	Err error
	// Tokens is the size of the context by our own count.
	Tokens int
	// Inquire puts questions to the user; nil if no user can be asked.
	Inquire Inquirer
}
