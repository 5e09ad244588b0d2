// Package openai implements llm.Provider for OpenAI-compatible endpoints. It speaks chat
// completions and the Responses API with the deviations of vendors and servers, explains errors to
// a person, and lists the models of an endpoint.
//
// A [Client] talks to one endpoint:
//
//	client := openai.NewClient(openai.Config{BaseURL: "https://api.openai.com/v1", Key: key})
//	for chunk, err := range client.Stream(ctx, request) {
//		…
//	}
//
// The two wire formats, chatCompletions and responses, implement the interface format. A [Dialect]
// holds the deviations that an endpoint taught by refusing requests; package vendor knows the
// others. A reply is assembled from the events of a stream by the type reply.
package openai

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/secret"
)

// Config configures a Client. Only BaseURL is required.
type Config struct {
	// BaseURL is the address of the endpoint without a slash at its end. It may have a query, which
	// every request gets.
	BaseURL string
	// Key is sent as the bearer token unless it is empty.
	Key llm.Key
	// KeyHelp names the origin of the key in hints; empty means vendor.EnvKey.
	KeyHelp string
	// Sign, which may be nil, wraps what makes the requests, to add a key that changes. used is
	// told each key before it is sent.
	Sign func(base http.RoundTripper, used func(llm.Key)) http.RoundTripper
	// UserAgent is sent with every request, unless it is empty.
	UserAgent string
	// Headers are sent with every request. They never replace a header that the client itself
	// sets.
	Headers map[string]string
	// ExtraBody is a JSON object whose members are added to the body of every request for a reply,
	// replacing members of the same name; empty for none.
	ExtraBody json.RawMessage
	// API is the wire format; "" means APIAuto.
	API API
	// Transport makes the requests; nil means a transport that uses the proxies of the environment
	// and keeps connections.
	Transport http.RoundTripper

	// Lessons stores the dialects that the endpoint taught, for later runs; nil stores nothing.
	Lessons llm.Lessons[Dialect]

	// Retry controls the waits between attempts.
	Retry llm.RetryPolicy
	// Now reads the clock; nil means the real one.
	Now func() time.Time
}

// Client talks to one OpenAI-compatible endpoint. Its Provider has all wrappers of package llm. It
// is safe for concurrent use and keeps its connections between requests.
type Client struct {
	llm.Provider

	config Config
	http   *http.Client
	// keys holds the keys that errors must not show.
	keys *llm.Keys
	// opensThinking holds the models whose replies begin within their thinking.
	opensThinking sync.Map
	// madeIDs counts the ids that were made for calls without one.
	madeIDs atomic.Int64
}

// NewClient returns a client for one endpoint.
func NewClient(config Config) *Client {
	if config.Transport == nil {
		config.Transport = newTransport()
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	keys := &llm.Keys{}
	keys.Add(config.Key)
	for name, value := range config.Headers {
		keys.Add(llm.Key(secret.OfHeader(name, value)))
	}
	if config.Sign != nil {
		config.Transport = config.Sign(config.Transport, keys.Add)
	}
	c := &Client{
		config: config, keys: keys,
		// A redirect is reported, not followed. Following it would turn the request into a GET and
		// could carry the key elsewhere.
		http: &http.Client{Transport: config.Transport, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}},
	}
	speak := func(d Dialect) llm.Provider { return llm.Watch(&formats{c, d}, c.endpoint()) }
	c.Provider = llm.Retry(llm.Redact(llm.Adapt(speak, learn, config.Lessons), keys), config.Retry)
	return c
}

// newTransport returns Go's default transport with three changes. It does not compress streams,
// because servers then hold events back to fill a block. It detects a connection that broke while
// the machine slept. It reports an unreadable proxy as an error.
func newTransport() http.RoundTripper {
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	transport = transport.Clone()
	transport.DisableCompression = true
	transport.Proxy = proxyFromEnvironment
	const pingAfter, pingAnswer = 15 * time.Second, 15 * time.Second
	transport.HTTP2 = &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingAnswer}
	return transport
}

// Close closes idle connections. Replies that are being streamed continue.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// product is the name of the program that OpenRouter shows.
const product = "agent"

// newRequest makes a request to a path of the endpoint, with the headers that every request has.
func (c *Client) newRequest(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	base, query, _ := strings.Cut(c.config.BaseURL, "?")
	if query != "" {
		query = "?" + query
	}
	request, err := http.NewRequestWithContext(ctx, method, base+path+query, body)
	if err != nil {
		return nil, err
	}
	for name, value := range c.config.Headers {
		request.Header.Set(name, value)
	}
	if vendor.At(c.host(), "").Title && request.Header.Get("X-Title") == "" {
		request.Header.Set("X-Title", product)
	}
	if c.config.UserAgent != "" {
		request.Header.Set("User-Agent", c.config.UserAgent)
	}
	if c.config.Key != "" {
		request.Header.Set("Authorization", "Bearer "+string(c.config.Key))
	}
	request.Header.Set("Content-Type", "application/json")
	return request, nil
}

// host returns the endpoint's host, with its port if it has one.
func (c *Client) host() string {
	u, err := url.Parse(c.config.BaseURL)
	if err != nil {
		return ""
	}
	return u.Host
}

// endpoint returns the base URL without user, password and query, for messages.
func (c *Client) endpoint() string {
	u, err := url.Parse(c.config.BaseURL)
	if err != nil {
		return "the endpoint"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// API is a wire format.
type API string

// The values of API.
const (
	// APIAuto, also "", means chat completions, except for endpoints that ask for the Responses
	// API, and for the models of OpenAI that take tools with reasoning only there.
	APIAuto      API = "auto"
	APIChat      API = "chat"
	APIResponses API = "responses"
)

// formats is the Provider that sends requests in a dialect, each in the format that fits.
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
