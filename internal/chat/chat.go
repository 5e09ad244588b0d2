package chat

import (
	"context"
	"encoding/json"

	"agent/internal/atcmd"
	"agent/internal/chat/window"
	"agent/internal/gate"
)

// A Chat is one conversation. The goroutine that runs Run, Prompt or Resend owns it until that call
// returns. Only one goroutine may run these at a time. Every other exported method, also of the
// exported parts, may be called from any goroutine. These methods send their work to the owner through
// the inbox.
type Chat struct {
	*Handle
	// Views shows the context. Past returns to earlier points. Agents connects the conversation with
	// its subagents. Warming keeps the provider's cache warm.
	Views   *Views
	Past    *Rewinder
	Agents  *SubagentHost
	Warming *Warming

	config Config

	// The unexported parts. Only the goroutine that owns the chat uses them.
	waiting  *waiting
	moments  *moments
	modes    *modes
	refusals *refusals
	loop     *gate.LoopDetector
	runner   *runner
	replies  *replies
	window   *window.Window
	saving   saveCheck

	// Only the owner uses the remaining fields.

	// tasks wait until the chat is idle.
	tasks     []func(context.Context) (Outcome, error)
	interrupt context.CancelFunc
	// aside cancels the side question that is being answered. It is nil if there is none.
	aside context.CancelCauseFunc
	// summarizing is set while a model writes a summary.
	summarizing bool
	// toldMode is the approval mode at the latest call of tellJobs.
	toldMode  gate.Mode
	lastReply string
	// schema is the JSON Schema for the next reply, nil for none.
	schema json.RawMessage
	// nudge is a text that the next request contains as a message of the user. It is not stored.
	nudge string
}

// Send starts a turn with a message of the user, or queues the message while a turn runs.
func (c *Chat) Send(message atcmd.Message) { c.waiting.send(message) }

// Unqueue removes and returns the newest waiting message. It reports false if there is none.
func (c *Chat) Unqueue(ctx context.Context) (atcmd.Message, bool) { return c.waiting.unqueue(ctx) }

// Consent returns the gate that decides which calls may run. A grant for a turn ends with the
// turn.
func (c *Chat) Consent() *gate.Consent { return c.runner.consent }

// Interrupt ends the turn in progress and the side question. Unfinished calls are answered with an
// error, so that the history stays valid. If neither runs, Interrupt does nothing.
func (c *Chat) Interrupt() {
	c.inbox.post(func() {
		if c.interrupt != nil {
			c.interrupt()
		}
	})
	c.EndAside()
}

// Answer decides the approval with this id. It ignores an id that has been decided.
func (c *Chat) Answer(id int, decision Decision) {
	c.inbox.post(func() {
		c.Warming.userCame(false)
		c.asker.answer(id, decision)
	})
}
