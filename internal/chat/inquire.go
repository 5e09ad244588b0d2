package chat

import (
	"context"

	"agent/internal/gate"
	"agent/internal/tools"
)

// Inquire puts questions to the person that a call which runs is asked, and returns what
// they answered to each. It reports false where nobody answers. It may be called from any
// goroutine; questions come one after another.
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
