package llm

import (
	"net/http"
	"net/url"
	"sync/atomic"
	"time"
)

// Defaults of ClientConfig.
const (
	// defaultFirstTimeout is long because a local server reads a large prompt for
	// minutes before it says anything.
	defaultFirstTimeout = 10 * time.Minute
	defaultIdleTimeout  = 2 * time.Minute
)

// ClientConfig says where and how a Client talks. Only BaseURL is required.
type ClientConfig struct {
	// BaseURL is the endpoint, as NormalizeBaseURL returns it.
	BaseURL string
	// Key is sent as bearer token when it is not empty.
	Key Key
	// Transport makes the requests; nil means one with the proxies of the
	// environment and connections that are kept.
	Transport http.RoundTripper

	// Retry says how often and when a request is made again.
	Retry RetryPolicy
	// FirstTimeout and IdleTimeout are the Patience; 0 means 10 and 2 minutes.
	FirstTimeout, IdleTimeout time.Duration

	// Now reads the clock; nil means the real one.
	Now func() time.Time
}

// Client talks to one OpenAI-compatible endpoint. As a Provider it is chat
// completions and the Responses API with everything around them. It is safe for concurrent use and keeps
// its connections between requests.
type Client struct {
	Provider

	config ClientConfig
	http   *http.Client
	// madeIDs counts the ids made for calls that came without one.
	madeIDs atomic.Int64
}

// NewClient returns a client for one endpoint.
func NewClient(config ClientConfig) *Client {
	if config.Transport == nil {
		config.Transport = newTransport()
	}
	if config.FirstTimeout == 0 {
		config.FirstTimeout = defaultFirstTimeout
	}
	if config.IdleTimeout == 0 {
		config.IdleTimeout = defaultIdleTimeout
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	c := &Client{
		config: config,
		// A redirect is reported, not followed: following it would turn the request
		// into a GET and could carry the key elsewhere.
		http: &http.Client{Transport: config.Transport, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}},
	}
	patience := Patience{First: config.FirstTimeout, Idle: config.IdleTimeout}
	both := &formats{
		host:      c.host(),
		chat:      &requester{client: c, format: chatCompletions{c.host()}},
		responses: &requester{client: c, format: responses{c.host()}},
	}
	c.Provider = Retry(Redact(Adapt(Watch(both, patience, c.endpoint())), config.Key), config.Retry)
	return c
}

// newTransport is Go's own with two changes: streams are not compressed, because
// servers then hold events back to fill a block, and a connection that died while
// the machine slept is found out.
func newTransport() http.RoundTripper {
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	transport = transport.Clone()
	transport.DisableCompression = true
	const pingAfter, pingAnswer = 15 * time.Second, 15 * time.Second
	transport.HTTP2 = &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingAnswer}
	return transport
}

// Close lets go of idle connections. Replies that are being streamed go on.
func (c *Client) Close() { c.http.CloseIdleConnections() }

func (c *Client) authorize(request *http.Request) {
	if c.config.Key != "" {
		request.Header.Set("Authorization", "Bearer "+string(c.config.Key))
	}
}

// host is the endpoint's host, with its port if it has one.
func (c *Client) host() string {
	u, err := url.Parse(c.config.BaseURL)
	if err != nil {
		return ""
	}
	return u.Host
}

// endpoint is the base URL as it may be shown: without user, password and query.
func (c *Client) endpoint() string {
	u, err := url.Parse(c.config.BaseURL)
	if err != nil {
		return "the endpoint"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
