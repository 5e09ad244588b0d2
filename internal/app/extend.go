package app

import (
	"slices"

	"agent/internal/gate"
	"agent/internal/tools"
)

// sources are where the tools of a conversation come from, in the order in which the model
// is offered them; offered are those of the program itself.
func (c *Conversation) sources(offered []tools.Tool) []tools.Source {
	return []tools.Source{
		tools.Fixed("built in", offered...),
		{Name: "skills", Revision: func() uint64 { return uint64(len(c.skillTool)) }, List: func() []tools.Tool { return c.skillTool }},
		c.serverSource(),
	}
}

// gates are what a planned call passes besides the mode, the loop guard and consent; their
// stages say where.
func (c *Conversation) gates() []gate.Gate {
	all := append(c.checkGates(), []gate.Gate{
		c.permissionGate(),
		c.hookGate(),
	}...)
	return slices.DeleteFunc(all, func(g gate.Gate) bool { return g.Check == nil })
}
