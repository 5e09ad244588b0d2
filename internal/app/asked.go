package app

import (
	"context"

	"agent/internal/mcp"
)

// askForServer puts a question of a server to the person.
func (c *Conversation) askForServer(ctx context.Context, q mcp.Question) (mcp.Answer, error) {
	return mcp.Answer{Action: mcp.Decline}, nil
}
