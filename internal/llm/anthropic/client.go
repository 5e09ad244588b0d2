// Package anthropic implements llm.Provider for the Messages API of Anthropic, which clouds and
// gateways also support. It writes requests, reads streams, places the marks of the prompt cache, and
// returns thinking byte for byte.
//
// A [Client] talks to one endpoint:
//
//	client := anthropic.NewClient(anthropic.Config{Endpoint: endpoint.Config{BaseURL: "https://api.anthropic.com/v1", Key: key}})
//	for chunk, err := range client.Stream(ctx, request) {
//		…
//	}
//
// A request is a list of messages of blocks (conversation). Void thinking is omitted (dropVoid), and
// then cache marks are added (mark). The newest models accept thinking only while everything before it
// is unchanged. So each reply is stored with a digest of the conversation that it answers. Thinking
// whose digest differs is void and not sent. A [Dialect] contains what was learned from refusals of an
// endpoint.
package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/endpoint"
	"agent/internal/llm/lenientjson"
)

// Config configures a Client.
type Config struct {
	// Endpoint describes the endpoint. An API key is sent in the header x-api-key.
	Endpoint endpoint.Config
	// Bearer sends the key as a bearer token, which Bedrock and Vertex require.
	Bearer bool
	// Vertex means that the endpoint belongs to a project at Google Vertex AI. The address then
	// contains the model.
	Vertex bool
	// Limits returns the output limit and the context window of a model in tokens, or 0 for unknown
	// numbers. It may be nil.
	Limits func(model string) (output, window int)
	// ThinkingDisplay is "summarized" or "omitted"; "" means the model's default.
	ThinkingDisplay string
	// Lessons stores the learned dialects of the endpoint for later runs. If nil, nothing is stored.
	Lessons llm.DialectStore[Dialect]
	// Retry controls the waits between attempts.
	Retry llm.RetryPolicy
}

// Client is a client for one endpoint. Its Provider has all wrappers of package llm. It is safe for
// concurrent use.
type Client struct {
	llm.Provider

	config Config
	at     *endpoint.Endpoint
	// mustReply is set once the endpoint has refused a request without a reply.
	mustReply atomic.Bool

	mu sync.Mutex
	// latest contains the id of the latest message of each session, by the key of its cache. The
	// provider compares requests with that message.
	latest map[string]string
	// limits holds the rate limits from the latest reply.
	limits []Limit
	// warned contains the notes that were already yielded, so that each appears only once.
	warned map[string]bool
}

// apiVersion is the version of the API. It has not changed since 2023.
const apiVersion = "2023-06-01"

// NewClient returns a client for one endpoint.
func NewClient(config Config) *Client {
	config.Endpoint.Paths = []string{messagesPath}
	if !config.Bearer {
		config.Endpoint.KeyHeader = "X-Api-Key"
	}
	config.Endpoint.BaseURL = versioned(config.Endpoint.BaseURL)
	if config.Limits == nil {
		config.Limits = func(string) (int, int) { return 0, 0 }
	}
	if config.Endpoint.Now == nil {
		config.Endpoint.Now = time.Now
	}
	c := &Client{config: config, at: endpoint.New(config.Endpoint), latest: map[string]string{}, warned: map[string]bool{}}
	speak := func(d Dialect) llm.Provider { return llm.WatchStalls(&speaking{c, d}, c.at.Name()) }
	c.Provider = llm.Retry(llm.Redact(llm.Adapt(speak, learn, config.Lessons), c.at.Keys()), config.Retry)
	return c
}

// versioned adds /v1 to a base URL without a version, because other programs configure gateways without
// it.
func versioned(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return base
	}
	path := strings.TrimRight(u.Path, "/")
	last := path[strings.LastIndex(path, "/")+1:]
	if len(last) > 1 && last[0] == 'v' && '0' <= last[1] && last[1] <= '9' || strings.Contains(path, "/v1/") {
		return base
	}
	u.Path = path + "/v1"
	return u.String()
}

// Close closes idle connections. Replies that are being streamed continue.
func (c *Client) Close() { c.at.Close() }

// messagesPath is the path of requests for replies.
const messagesPath = "/messages"

func (c *Client) path(model string) string {
	if c.config.Vertex {
		return "/publishers/anthropic/models/" + url.PathEscape(model) + ":streamRawPredict"
	}
	return messagesPath
}

// speaking is the Provider that sends requests in a dialect.
type speaking struct {
	client  *Client
	dialect Dialect
}

// maxPauses limits how often a reply that the server paused is continued.
const maxPauses = 16

// Stream implements llm.Provider.
func (s *speaking) Stream(ctx context.Context, plain llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		c := s.client
		req := c.request(s.dialect, plain)
		r := &reply{client: c, req: req, yield: yield}
		body := req.conversation()
		r.origin = body.origin()
		err := r.exchange(ctx, body)
		if failure, is := errors.AsType[*llm.Error](err); is && req.silent && failure.Kind == llm.BadRequest {
			c.mustReply.Store(true)
			req.silent = false
			err = r.exchange(ctx, body)
		}
		for pauses := 0; err == nil && r.paused && !r.quit && pauses < maxPauses; pauses++ {
			body.resume(r.raw())
			err = r.exchange(ctx, body)
		}
		if err == nil && !r.quit {
			err = r.complete()
		}
		switch {
		case r.quit || err == nil:
		case ctx.Err() != nil:
			if r.tellUsed(); !r.quit {
				yield(nil, ctx.Err())
			}
		default:
			yield(nil, c.at.WrapError(err, req.Model, r.begun))
		}
	}
}

// newNotes returns the notes that were not returned before.
func (c *Client) newNotes(notes []string) (fresh []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, note := range notes {
		if !c.warned[note] {
			c.warned[note] = true
			fresh = append(fresh, note)
		}
	}
	return fresh
}

// previous returns the id of the latest message of a session, or "".
func (c *Client) previous(session string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.latest[session]
}

// maxSessions limits the sessions whose latest message is stored.
const maxSessions = 64

func (c *Client) remember(session, id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.latest) >= maxSessions {
		clear(c.latest)
	}
	c.latest[session] = id
}

func headerOf(betas []string) http.Header {
	header := http.Header{"Anthropic-Version": {apiVersion}}
	if len(betas) > 0 {
		header.Set("Anthropic-Beta", strings.Join(betas, ","))
	}
	return header
}

// ModelInfo contains the facts that an endpoint lists about a model. Unlisted numbers are 0.
type ModelInfo struct {
	ID           string
	ContextLimit int
	// Created is the creation time of the model in Unix seconds, as gateways report it.
	Created int
}

const maxPages = 20

// ListModels requests the list of models from the endpoint. The error is an *llm.Error unless ctx has
// ended.
func (c *Client) ListModels(ctx context.Context) ([]ModelInfo, error) {
	models := []ModelInfo{}
	after := ""
	for range maxPages {
		path := endpoint.ModelsPath + "?limit=1000"
		if after != "" {
			path += "&after_id=" + url.QueryEscape(after)
		}
		body, err := c.at.Get(ctx, path, headerOf(nil))
		if err != nil {
			return nil, llm.RedactError(err, c.at.Keys())
		}
		var list struct {
			Data []struct {
				ID      string          `json:"id"`
				Window  lenientjson.Int `json:"max_input_tokens"`
				Length  lenientjson.Int `json:"max_model_len"`
				Created lenientjson.Int `json:"created"`
			} `json:"data"`
			More bool   `json:"has_more"`
			Last string `json:"last_id"`
		}
		if json.Unmarshal(body, &list) != nil || list.Data == nil {
			return nil, c.at.NewError(llm.NotAnAPI, "", "/models returned no list of models")
		}
		for _, m := range list.Data {
			if c.at.IsModelID(m.ID) {
				models = append(models, ModelInfo{ID: m.ID, ContextLimit: max(m.Window.NonNegative(), m.Length.NonNegative()), Created: m.Created.NonNegative()})
			}
		}
		if !list.More || list.Last == "" || list.Last == after {
			break
		}
		after = list.Last
	}
	return models, nil
}
