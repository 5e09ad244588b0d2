package llm

import (
	"context"
	"iter"
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

// formats is the Provider that chooses the format by the request.
type formats struct {
	host            string
	chat, responses Provider
}

// Stream implements Provider.
func (f *formats) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	if wantsResponses(req, f.host) {
		return f.responses.Stream(ctx, req)
	}
	return f.chat.Stream(ctx, req)
}

func wantsResponses(req Request, host string) bool {
	switch {
	case req.API == APIChat, req.API == APIResponses:
		return req.API == APIResponses
	case req.Dialect.API != "":
		return req.Dialect.API == APIResponses
	default:
		return isHost(host, "api.openai.com") && reasonsOnResponses(BaseName(req.Model))
	}
}
