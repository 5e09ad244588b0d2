package openai

import (
	"context"
	"iter"

	"agent/internal/llm"
)

// API is a wire format.
type API string

// The values of API.
const (
	// APIAuto, also "", is chat completions, but Responses for the models of OpenAI
	// that take tools with reasoning only there, and for endpoints that say so.
	APIAuto      API = "auto"
	APIChat      API = "chat"
	APIResponses API = "responses"
)

// formats is the Provider that asks in a dialect, in the format that fits the request.
type formats struct {
	client  *Client
	dialect Dialect
}

// Stream implements llm.Provider.
func (f *formats) Stream(ctx context.Context, plain llm.Request) iter.Seq2[llm.Chunk, error] {
	req := f.client.request(f.dialect, plain)
	if f.wantsResponses(req) {
		return f.client.stream(ctx, responses{}, req)
	}
	return f.client.stream(ctx, chatCompletions{}, req)
}

func (f *formats) wantsResponses(req request) bool {
	switch api := f.client.config.API; {
	case api == APIChat, api == APIResponses:
		return api == APIResponses
	case req.Dialect.API != "":
		return req.Dialect.API == APIResponses
	default:
		return req.wants.Responses
	}
}
