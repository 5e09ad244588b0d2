package anthropic

import (
	"net/http"

	"agent/internal/llm"
)

// Bare returns the format of a client without anything around it.
func Bare(c *Client) llm.Provider { return &speaking{c, Dialect{}} }

// Tell notes the limits in the headers of a reply.
func Tell(c *Client, header http.Header) { c.tellLimits(header) }

// Encode returns the body of a request.
func Encode(c *Client, req llm.Request) []byte {
	r := c.request(Dialect{}, req)
	return r.encode(r.conversation())
}
