package openai

import (
	"context"
	"iter"

	"agent/internal/llm"
	"agent/internal/llm/entries"
	"agent/internal/llm/vendor"
)

// Internals that tests in package openai_test need.
var (
	ResponseText = entries.ResponseText
	Arguments    = entries.Arguments
	FunctionName = entries.FunctionName
)

// EncodeRequest returns the body of a chat completion for an unknown host.
func EncodeRequest(req llm.Request) []byte { return EncodeIn(Dialect{}, req) }

// EncodeIn returns the body of EncodeRequest in a dialect.
func EncodeIn(d Dialect, req llm.Request) []byte {
	return chatCompletions{}.encode(request{Request: d.fit(req), Dialect: d, wants: vendor.At("", req.Model)})
}

// bare is the format of a client without its wrappers.
type bare struct {
	client *Client
	format format
}

func (b bare) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return b.client.stream(ctx, b.format, b.client.request(Dialect{}, req))
}

// Bare returns the chat completions provider of a client without its wrappers.
func Bare(c *Client) llm.Provider { return bare{c, chatCompletions{}} }

// BareResponses returns the Responses API provider of a client without its wrappers.
func BareResponses(c *Client) llm.Provider { return bare{c, responses{}} }

// On returns another client of the same endpoint with the given API format.
func On(c *Client, api API) *Client {
	config := c.config
	config.API = api
	return NewClient(config)
}
