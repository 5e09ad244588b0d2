package anthropic

import (
	"net/http"

	"agent/internal/llm"
)

// Bare returns the provider of a client without its wrappers.
func Bare(c *Client) llm.Provider { return &speaking{c, Dialect{}} }

// Tell reports the limits in the headers of a reply.
func Tell(c *Client, header http.Header) { c.tellLimits(header) }

// Encode returns the body of a request.
func Encode(c *Client, req llm.Request) []byte {
	r := c.request(Dialect{}, req)
	return r.encode(r.conversation())
}
