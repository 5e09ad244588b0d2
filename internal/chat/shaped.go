package chat

import (
	"context"
	"encoding/json"
	"errors"

	"agent/internal/history"
)

// notNow answers calls in a reply that is to be an answer.
const notNow = "not run: only the answer is wanted now"

// Ask makes one request for an answer in a form, in the calling goroutine as Prompt does. The
// text asks for it in words; schema, which may be nil, has the server enforce it. Tools stay
// declared, since the provider's cache and some servers need them, but calls are not run.
func (c *Chat) Ask(ctx context.Context, text string, schema json.RawMessage) (Outcome, error) {
	return c.work(ctx, func(ctx context.Context) (out Outcome, err error) {
		c.window.NextTurn()
		if err := c.add(history.New(history.Human, &history.Text{Text: text, Source: history.Brought})); err != nil {
			return failed(ctx, out, err)
		}
		c.schema = schema
		defer func() { c.schema = nil }()
		reply, err := c.request(ctx, &out)
		if spent := (*costError)(nil); errors.As(err, &spent) {
			c.notice("stopped: %v", err)
			return out.stopped(StopMaxCost), nil
		}
		if err != nil {
			return failed(ctx, out, err)
		}
		if err := c.runner.abandon(c.runner.newCalls(reply.calls), notNow); err != nil {
			return failed(ctx, out, err)
		}
		return out.stopped(StopDone), nil
	})
}
