package app

import (
	"slices"

	"agent/internal/chat"
	"agent/internal/gate"
	"agent/internal/tools"
)

// sources returns the sources of tools, in the order in which the model sees the tools. offered
// holds the tools of the program itself.
func (c *Conversation) sources(offered []tools.Tool) []tools.Source {
	return []tools.Source{
		tools.Fixed("built in", offered...),
		c.searchSource(),
		c.notes.source(),
		c.Brought.Source(),
		c.Servers.Source(),
		c.taskTool(),
	}
}

// gates returns the gates that a planned call passes besides the mode, the loop guard and
// consent. The stage of each gate determines its place.
func (c *Conversation) gates() []gate.Gate {
	return slices.Concat([]gate.Gate{c.policyGate()}, c.checks.Gates(), []gate.Gate{
		c.Rules.Gate(),
		c.agentGate(),
	}, c.Hooking.Gates(), c.options.Gates)
}

// listeners returns the functions that receive every event of the conversation, in order and
// before the front end, on the goroutine that runs the conversation. They must return at once,
// also before there is a turn loop.
func (c *Conversation) listeners() []func(chat.Event) {
	return []func(chat.Event){
		c.Hooking.Notify,
		c.keepAsking,
		c.beginSearches,
		c.watchLimits,
		c.tracer.Event,
	}
}
