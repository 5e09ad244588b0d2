package mcp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// web is the way to a server over HTTP.
type web struct {
	client *http.Client
	base   http.RoundTripper
	server *url.URL
	header map[string]string
	// life ends with the connection, and with it every request.
	life context.Context
	end  context.CancelFunc
}

func newWeb(s Server, host Host) (*web, error) {
	address, err := url.Parse(s.URL)
	if err != nil || address.Host == "" || address.Scheme != "https" && address.Scheme != "http" {
		return nil, fmt.Errorf("%q is not an address of the web", s.URL)
	}
	w := &web{base: host.Transport, server: address, header: s.Headers}
	if w.base == nil {
		w.base = newTransport()
	}
	w.life, w.end = context.WithCancel(context.Background())
	w.client = &http.Client{Transport: w, CheckRedirect: w.redirect}
	return w, nil
}

// newTransport is Go's own, but that streams are not compressed, because servers then
// hold events back to fill a block.
func newTransport() http.RoundTripper {
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	transport = transport.Clone()
	transport.DisableCompression = true
	return transport
}

// redirect refuses to follow a server elsewhere: nobody agreed to that place.
func (w *web) redirect(request *http.Request, via []*http.Request) error {
	const most = 5
	if !w.isServer(request.URL) {
		return fmt.Errorf("it has moved to %s; if you trust that, write it into the configuration", request.URL.Host)
	}
	if len(via) > most {
		return fmt.Errorf("it redirects without end")
	}
	return nil
}

func (w *web) isServer(address *url.URL) bool {
	return address.Scheme == w.server.Scheme && address.Host == w.server.Host
}

// RoundTrip makes a request of the SDK with the headers of the configuration, bounded by
// the life of the connection.
func (w *web) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(request.Context())
	stop := context.AfterFunc(w.life, cancel)
	request = request.Clone(ctx)
	for name, value := range w.header {
		request.Header.Set(name, value)
	}
	response, err := w.base.RoundTrip(request)
	if err != nil {
		stop()
		cancel()
		return nil, err
	}
	response.Body = &body{ReadCloser: response.Body, left: limitOf(response), close: func() { stop(); cancel() }}
	return response, nil
}

// body is a response of a server, of which no more is read than there may be.
type body struct {
	io.ReadCloser
	left  int64
	close func()
}

// limitOf bounds a response; a stream is bounded event by event.
func limitOf(r *http.Response) int64 {
	const forError, forStream = 1 << 20, 1 << 62
	switch {
	case r.StatusCode >= http.StatusBadRequest:
		return forError
	case r.Header.Get("Content-Type") == "application/json":
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

// connectWeb reaches a server over HTTP. It is asked first whether it speaks the new
// protocol, as that says, unless it is known to speak the old one.
func (c *Client) connectWeb(ctx context.Context) error {
	web, err := newWeb(c.server, c.host)
	if err != nil {
		return err
	}
	c.web = web
	if c.server.kind() == kindSSE {
		return c.shake(ctx, &sdk.SSEClientTransport{Endpoint: c.server.URL, HTTPClient: web.client}, handshakes)
	}
	return c.shake(ctx, &sdk.StreamableClientTransport{Endpoint: c.server.URL, HTTPClient: web.client}, stateless)
}
