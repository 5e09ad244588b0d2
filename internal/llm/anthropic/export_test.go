package anthropic

import "agent/internal/llm"

// Bare returns the format of a client without anything around it.
func Bare(c *Client) llm.Provider { return &speaking{c, Dialect{}} }
