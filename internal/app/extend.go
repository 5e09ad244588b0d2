package app

import "agent/internal/gate"

// gates are what a planned call passes besides the mode, the loop guard and consent; their
// stages say where.
func (c *Conversation) gates() []gate.Gate {
	return []gate.Gate{}
}
