package llm

import (
	"context"
	"iter"
	"regexp"
	"strconv"
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

// openAIModel finds the generation in the name of a model of OpenAI.
var openAIModel = regexp.MustCompile(`^(?:o\d|gpt-(\d+)(?:-(\d{1,2})(?:-|$))?)`)

// openAIGeneration reads the generation of a GPT from its name.
func openAIGeneration(name string) (major, minor int, ok bool) {
	match := openAIModel.FindStringSubmatch(name)
	if match == nil || match[1] == "" {
		return 0, 0, false
	}
	major, _ = strconv.Atoi(match[1])
	minor, _ = strconv.Atoi(match[2])
	return major, minor, true
}

// reasonsOnResponses reports whether a model of OpenAI reasons with tools on the
// Responses API only, or better: the o-series, and GPT from 5.4 on.
func reasonsOnResponses(name string) bool {
	major, minor, gpt := openAIGeneration(name)
	if !gpt {
		return openAIModel.MatchString(name)
	}
	return major > 5 || major == 5 && minor >= 4
}
