package llm

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"
)

// Defaults of ClientConfig.
const (
	defaultMaxAttempts = 5
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

	// MaxAttempts bounds the requests for one reply; 0 means 5.
	MaxAttempts int
	// FirstTimeout is how long a server may take until the first event of a reply,
	// and between two events when only keep-alives come; 0 means 10 minutes.
	FirstTimeout time.Duration
	// IdleTimeout is how long a reply that has begun may be silent, without even a
	// keep-alive; 0 means 2 minutes.
	IdleTimeout time.Duration

	// Sleep waits between attempts and returns ctx's error when it ends first; Now
	// reads the clock; Jitter returns a number in [0, 1). Nil means the real ones.
	Sleep  func(ctx context.Context, d time.Duration) error
	Now    func() time.Time
	Jitter func() float64
}

// Client is the Provider for OpenAI-compatible chat completions. It is safe for
// concurrent use and keeps its connections between requests.
type Client struct {
	config ClientConfig
	http   *http.Client
	redact redactor
	// noUsage is set once the server has refused stream_options.
	noUsage atomic.Bool
	// madeIDs counts the ids made for calls that came without one.
	madeIDs atomic.Int64
}

var _ Provider = (*Client)(nil)

// NewClient returns a client for one endpoint.
func NewClient(config ClientConfig) *Client {
	if config.Transport == nil {
		config.Transport = newTransport()
	}
	if config.MaxAttempts == 0 {
		config.MaxAttempts = defaultMaxAttempts
	}
	if config.FirstTimeout == 0 {
		config.FirstTimeout = defaultFirstTimeout
	}
	if config.IdleTimeout == 0 {
		config.IdleTimeout = defaultIdleTimeout
	}
	if config.Sleep == nil {
		config.Sleep = sleep
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Jitter == nil {
		config.Jitter = rand.Float64
	}
	return &Client{
		config: config,
		// A redirect is reported, not followed: following it would turn the request
		// into a GET and could carry the key elsewhere.
		http: &http.Client{Transport: config.Transport, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}},
		redact: newRedactor(config.Key),
	}
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

// sleep waits for d or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
