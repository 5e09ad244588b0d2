package llm

import (
	"context"
	"iter"
	"strings"
)

// Stream implements Provider: it asks, and asks again while that can help.
func (c *Client) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		for number := 1; ; number++ {
			a := &attempt{client: c, model: req.Model, yield: yield}
			failure := a.run(ctx, encodeRequest(req, !c.noUsage.Load()))
			switch {
			case a.left || failure == nil:
				return
			case ctx.Err() != nil:
				yield(nil, ctx.Err())
				return
			case c.refusesUsage(failure):
				// The request goes out again without the field, at once.
				c.noUsage.Store(true)
				number--
				continue
			}
			failure.Attempts = number
			delay, again := c.retryDelay(failure)
			if !again {
				yield(nil, failure)
				return
			}
			if !yield(Retrying{Attempt: number + 1, Delay: delay, Reason: failure.Message, Discard: a.yielded}, nil) {
				return
			}
			if c.config.Sleep(ctx, delay) != nil || ctx.Err() != nil {
				yield(nil, ctx.Err())
				return
			}
		}
	}
}

// refusesUsage reports whether the server does not know stream_options. Without
// them there are no usage numbers, which is better than no reply.
func (c *Client) refusesUsage(failure *Error) bool {
	return failure.Kind == BadRequest && strings.Contains(failure.Message, "stream_options") && !c.noUsage.Load()
}
