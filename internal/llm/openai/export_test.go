package openai

import (
	"context"
	"iter"

	"agent/internal/llm"
	"agent/internal/llm/entries"
	"agent/internal/llm/vendor"
)

// What tests outside the package need of its inside.
var (
	ResponseText = entries.ResponseText
	Arguments    = entries.Arguments
	FunctionName = entries.FunctionName
)

// EncodeRequest is the body of a chat completion at a host that nothing is known of.
func EncodeRequest(req llm.Request) []byte { return EncodeIn(Dialect{}, req) }

// EncodeIn is EncodeRequest in a dialect.
func EncodeIn(d Dialect, req llm.Request) []byte {
	return chatCompletions{}.encode(request{Request: d.fit(req), Dialect: d, wants: vendor.At("", req.Model)})
}

// bare is a format without anything around it.
type bare struct {
	client *Client
	format format
}

func (b bare) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return b.client.stream(ctx, b.format, b.client.request(Dialect{}, req))
}

// Bare is the chat completions of a client without anything around them.
func Bare(c *Client) llm.Provider { return bare{c, chatCompletions{}} }

// BareResponses is the Responses API of a client without anything around it.
func BareResponses(c *Client) llm.Provider { return bare{c, responses{}} }

// On is another client of the same endpoint that speaks a format.
func On(c *Client, api API) *Client {
	config := c.config
	config.API = api
	return NewClient(config)
}
