// Package openai implements llm.Provider for OpenAI-compatible endpoints. It supports chat completions
// and the Responses API with the deviations of vendors and servers. It also explains errors to a user,
// and lists the models of an endpoint.
//
// A [Client] talks to one endpoint:
//
//	client := openai.NewClient(openai.Config{BaseURL: "https://api.openai.com/v1", Key: key})
//	for chunk, err := range client.Stream(ctx, request) {
//		…
//	}
//
// The two wire formats, chatCompletions and responses, implement the interface format. A [Dialect]
// contains the deviations learned from an endpoint's refusals. Package vendor contains the known
// deviations. The type reply assembles a reply from the events of a stream.
package openai

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/endpoint"
	"agent/internal/llm/vendor"
)

// Config configures a Client. Only BaseURL is required.
type Config struct {
	// BaseURL and the following fields are documented in endpoint.Config.
	BaseURL   string
	Key       llm.Key
	KeyHelp   string
	Sign      func(base http.RoundTripper, used func(llm.Key)) http.RoundTripper
	UserAgent string
	Headers   map[string]string
	ExtraBody json.RawMessage
	Transport http.RoundTripper
	Now       func() time.Time

	// API is the wire format; "" means APIAuto.
	API API
	// Lessons stores the learned dialects of the endpoint for later runs. If nil, nothing is stored.
	Lessons llm.DialectStore[Dialect]
	// Retry controls the waits between attempts.
	Retry llm.RetryPolicy
}

// Client is a client for one OpenAI-compatible endpoint. Its Provider has all wrappers of package llm.
// It is safe for concurrent use and keeps its connections between requests.
type Client struct {
	llm.Provider

	config Config
	// at is the endpoint.
	at *endpoint.Endpoint
	// opensThinking contains the models whose replies begin inside their reasoning, without an opening
	// tag.
	opensThinking sync.Map
	// dropped maps the models that dropped reasoning to a notice about it. The notice becomes "" once
	// it was yielded.
	dropped sync.Map
	// madeIDs counts the ids generated for calls without an id.
	madeIDs atomic.Int64
}

// NewClient returns a client for one endpoint.
func NewClient(config Config) *Client {
	c := &Client{config: config, at: endpoint.New(endpoint.Config{
		BaseURL: config.BaseURL, Paths: []string{chatCompletions{}.path(), responses{}.path()},
		Key: config.Key, KeyHelp: config.KeyHelp, Sign: config.Sign, UserAgent: config.UserAgent,
		Headers: config.Headers, ExtraBody: config.ExtraBody, Transport: config.Transport, Now: config.Now,
	})}
	speak := func(d Dialect) llm.Provider { return llm.WatchStalls(&formats{c, d}, c.at.Name()) }
	c.Provider = llm.Retry(llm.Redact(llm.Adapt(speak, learn, config.Lessons), c.at.Keys()), config.Retry)
	return c
}

// Close closes idle connections. Replies that are being streamed continue.
func (c *Client) Close() { c.at.Close() }

// API is a wire format.
type API string

// The values of API.
const (
	// APIAuto, also "", means chat completions, with two exceptions: endpoints that require the
	// Responses API, and models of OpenAI that support tools with reasoning only there.
	APIAuto      API = "auto"
	APIChat      API = "chat"
	APIResponses API = "responses"
)

// formats is the Provider that sends requests in a dialect, each in the suitable format.
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
	case req.searches() == vendor.SearchResponses:
		return true
	case req.Dialect.API != "":
		return req.Dialect.API == APIResponses
	default:
		return req.wants.Responses
	}
}
