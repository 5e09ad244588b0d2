package chat

import (
	"context"

	"agent/internal/tools"
)

// A Handle posts work from any goroutine to the owner of a chat. It is made before the chat, because the
// gates, servers and agents of the chat need it. Work that they post before the owner runs waits in the
// inbox.
type Handle struct {
	inbox inbox
	// inquiring is a lock, held while the question of a running call is shown to the user.
	inquiring chan struct{}

	// New sets the remaining fields. Only the owner and functions in the inbox use them.
	emit       emitter
	asker      *asker
	stats      *totals
	emitStatus func()
}

// NewHandle returns a Handle for a chat that is made later.
func NewHandle() *Handle { return &Handle{inbox: newInbox(), inquiring: make(chan struct{}, 1)} }

// CloseHandle must be called after the last Run or Prompt of a chat. Callers no longer wait for its owner after
// that. Work sent to the owner is lost, and questions fail.
func CloseHandle(l *Handle) { l.inbox.end() }

// Notify shows a notice about something outside the conversation.
func (l *Handle) Notify(text string) {
	select {
	case l.inbox.acts <- func() { l.emit.notice("%s", text) }:
	default: // a notice must not block the caller
	}
}

// Refresh emits the status again, after a change outside the chat.
func (l *Handle) Refresh() {
	select {
	case l.inbox.acts <- func() { l.emitStatus() }:
	default: // a busy chat reports its status soon anyway
	}
}

// ReportWaiting reports that programs take long. With "" it reports that the wait has ended.
func (l *Handle) ReportWaiting(names string) {
	l.inbox.post(func() { l.emit(ProgramWaiting{names}) })
}

// Inquire puts the questions of a running call to the user and returns the answer to each. It reports
// false if there is no answer. Questions are shown one at a time.
func (l *Handle) Inquire(ctx context.Context, title string, inquiries []tools.Inquiry) ([]tools.InquiryAnswer, bool) {
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
		if inquire := l.asker.inquirer(); inquire != nil {
			answers, _ = inquire(ctx, title, inquiries)
		}
		return answers
	})
	return answers, err == nil && answers != nil
}
