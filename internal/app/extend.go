package app

import (
	"slices"

	"agent/internal/chat"
	"agent/internal/gate"
	"agent/internal/tools"
)

// sources are where the tools of a conversation come from, in the order in which the model
// is offered them; offered are those of the program itself.
func (c *Conversation) sources(offered []tools.Tool) []tools.Source {
	return []tools.Source{
		tools.Fixed("built in", offered...),
		c.Brought.Source(),
		c.Servers.Source(),
	}
}

// gates are what a planned call passes besides the mode, the loop guard and consent; their
// stages say where.
func (c *Conversation) gates() []gate.Gate {
	return slices.Concat(c.checks.Gates(), []gate.Gate{
		c.Rules.Gate(),
	}, c.Hooking.Gates(), c.options.Gates)
}

// listeners get every event of the conversation, in order and before the front end, on the
// goroutine that runs it. They return at once, also when there is no turn loop yet.
func (c *Conversation) listeners() []func(chat.Event) {
	return []func(chat.Event){
		c.Hooking.Notify,
		c.keepAsking,
		c.tracer.Event,
	}
}
