package mcp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agent/internal/base/fsutil"
	"agent/internal/reachlog"
)

// web is the HTTP connection to a server.
type web struct {
	client *http.Client
	base   http.RoundTripper
	server *url.URL
	header map[string]string
	// login adds the token to requests. It is nil if the configuration contains the token.
	login *authorizer
	// life is the context of the connection. Its end cancels every request.
	life context.Context
	end  context.CancelFunc
	// starting is set until the session has begun.
	starting atomic.Bool
	// unauthorized is set if the token of the latest request was refused or missing.
	unauthorized atomic.Bool
}

func newWeb(s Server, host Host) (*web, error) {
	address, err := url.Parse(s.URL)
	if err != nil || address.Host == "" || address.Scheme != "https" && address.Scheme != "http" {
		return nil, fmt.Errorf("invalid address %q: not http or https", s.URL)
	}
	w := &web{base: host.Transport, server: address, header: s.Headers}
	if w.base == nil {
		w.base = newTransport()
	}
	if host.Reached != nil {
		w.base = reachlog.NewTransport(w.base, func(name string) { host.Reached(s.Name, name) })
	}
	if w.login, err = newAuthorizer(s, host, w.base); err != nil {
		return nil, err
	}
	w.life, w.end = context.WithCancel(context.Background())
	w.client = reachlog.NewClient(w, nil)
	return w, nil
}

// newTransport returns Go's default transport without compression. With compression, servers delay
// events until they have filled a block.
func newTransport() http.RoundTripper {
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	transport = transport.Clone()
	transport.DisableCompression = true
	return transport
}

// RoundTrip makes a request of the SDK with the headers of the configuration. The request ends with
// the connection. RoundTrip refuses other hosts, because the user has not approved them. This
// includes redirects, and the address that an SSE server sends for messages.
func (w *web) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Scheme != w.server.Scheme || request.URL.Host != w.server.Host {
		return nil, fmt.Errorf("the server redirects to %s://%s. If you trust that address, set it as the url of the server", request.URL.Scheme, request.URL.Host)
	}
	ctx, cancel := context.WithCancel(request.Context())
	stop := context.AfterFunc(w.life, cancel)
	end := func() { stop(); cancel() }
	if request.Header.Get("Mcp-Method") == probe { // the time of a login does not count
		probing := time.AfterFunc(probeTimeout, cancel)
		end = func() { probing.Stop(); stop(); cancel() }
	}
	request = request.Clone(ctx)
	for name, value := range w.header {
		request.Header.Set(name, value)
	}
	response, err := w.try(request)
	if err != nil {
		end()
		return nil, err
	}
	w.unauthorized.Store(response.StatusCode == http.StatusUnauthorized)
	b := &body{ReadCloser: response.Body, left: limitOf(response), close: end}
	response.Body = struct {
		io.Reader
		io.Closer
	}{&exactReader{from: bufio.NewReader(b)}, b}
	return response, nil
}

// retryPauses lists the pauses before the second and the third attempt of a request.
var retryPauses = []time.Duration{250 * time.Millisecond, time.Second}

// try makes a request. At the start of a connection it retries, because the server may still be
// starting. It never retries a call.
func (w *web) try(request *http.Request) (*http.Response, error) {
	for _, pause := range retryPauses {
		response, err := w.base.RoundTrip(request)
		if !w.starting.Load() || request.GetBody == nil || !isPassing(response, err) {
			return response, err
		}
		if err == nil {
			_ = response.Body.Close()
		}
		select {
		case <-time.After(pause):
		case <-request.Context().Done():
			return nil, context.Cause(request.Context())
		}
		if request.Body, err = request.GetBody(); err != nil {
			return nil, err
		}
	}
	return w.base.RoundTrip(request)
}

// isPassing reports whether the cause of a failure may be temporary.
func isPassing(response *http.Response, err error) bool {
	if err != nil {
		return fsutil.IsConnectionRefused(err)
	}
	return response.StatusCode >= http.StatusInternalServerError && response.StatusCode != http.StatusNotImplemented
}

// body is the body of a response with a size limit.
type body struct {
	io.ReadCloser
	left  int64
	close func()
}

// limitOf returns the limit of a response in bytes. A stream has no limit, but each of its events
// has one.
func limitOf(r *http.Response) int64 {
	const forError, forStream = 1 << 20, 1 << 62
	switch {
	case r.StatusCode >= http.StatusBadRequest:
		return forError
	case strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return lineBytes
	}
	return forStream
}

func (b *body) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the answer is longer than %d MiB", lineBytes>>20)
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

func (b *body) Close() error {
	defer b.close()
	return b.ReadCloser.Close()
}

// connectWeb connects to a server over HTTP. It begins with the new protocol unless the server is
// known to use the old one.
func (c *Client) connectWeb(ctx context.Context) error {
	web, err := newWeb(c.server, c.host)
	if err != nil {
		return err
	}
	c.web = web
	web.starting.Store(true)
	defer web.starting.Store(false)
	if c.server.kind() == kindSSE {
		return c.shake(ctx, &stream{&sdk.SSEClientTransport{Endpoint: c.server.URL, HTTPClient: web.client}, web.life}, handshakes)
	}
	transport := &sdk.StreamableClientTransport{Endpoint: c.server.URL, HTTPClient: web.client}
	if web.login != nil {
		transport.OAuthHandler = web.login
	}
	version := stateless
	if known := c.server.Protocol; known != "" && known < stateless {
		version = handshakes
	}
	return c.shake(ctx, transport, version)
}

// lacksLogin reports whether the server refused a request because of a missing login, while no user
// can log in.
func (w *web) lacksLogin() bool {
	return w != nil && w.login != nil && w.login.handler == nil && w.unauthorized.Load()
}

// stream is a transport whose connection is one long request. The request is canceled when the context
// life ends, not when the context passed to Connect ends.
type stream struct {
	sdk.Transport
	life context.Context
}

// Connect implements sdk.Transport.
func (s *stream) Connect(context.Context) (sdk.Connection, error) { return s.Transport.Connect(s.life) }

// close cancels every request.
func (w *web) close() {
	w.end()
	w.login.close()
	w.client.CloseIdleConnections()
}
