package app

import (
	"slices"

	"agent/internal/app/mcphost"
	"agent/internal/app/sessionnotes"
	"agent/internal/app/webtool"
	"agent/internal/chat"
	"agent/internal/gate"
	"agent/internal/tools"
)

// A toolSource adds tools to the program's own tools.
type toolSource struct {
	// names reports whether the source may offer a tool with that name later, so that a rule may name it
	// already. It is nil if rules cannot name the tools.
	names func(name string) bool
	// of returns the source for a conversation.
	of func(x *conversationParts) tools.Source
}

// toolSources returns the sources of tools, in the order in which the model sees the tools.
func toolSources() []toolSource {
	return []toolSource{
		{webtool.IsTool, func(x *conversationParts) tools.Source { return x.web.Source() }},
		{isSymbol, func(x *conversationParts) tools.Source { return x.symbols.source() }},
		{sessionnotes.IsTool, func(x *conversationParts) tools.Source { return x.notes.Source() }},
		{nil, func(x *conversationParts) tools.Source { return x.texts.Source() }},
		{mcphost.IsTool, func(x *conversationParts) tools.Source { return x.servers.Source() }},
		// Add a source of tools here.
	}
}

// gates returns the gates for tool calls, together with the gates in more. The stage of each gate
// determines its position.
func (g *guards) gates(calls *tools.Registry, more ...gate.Gate) []gate.Gate {
	return slices.Concat([]gate.Gate{policyGate(g.bounds)}, g.checks.Gates(), []gate.Gate{
		g.rules.Gate(),
		// Add a gate here.
	}, more, g.hooks.Gates(calls), g.front)
}

// listeners returns the functions that receive every event of the conversation, in order and
// before the interface, on the goroutine that runs the conversation. They must return at once.
func (x *conversationParts) listeners(limits *limits, subs *Subagents) []func(chat.Event) {
	return []func(chat.Event){
		x.guards.turns,
		subs.turns,
		x.notes.HandleEvent,
		x.guards.hooks.Notify,
		x.rec.keepAsking,
		x.web.HandleEvent,
		limits.watch,
		x.tracer.HandleEvent,
	}
}

// turns informs the guards about the beginning and the end of turns.
func (g *guards) turns(e chat.Event) {
	switch e.(type) {
	case chat.TurnStarted:
		g.checks.BeginTurn()
	case chat.TurnEnded:
		g.rules.EndTurn()
	}
}
