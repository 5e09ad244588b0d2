package reachlog

import (
	"errors"
	"net/http"
)

// errSwitching is the error for a server that changes the protocol of the connection.
var errSwitching = errors.New("the server switched to another protocol (HTTP 101), which agent does not support")

// NewClient returns a client that makes its requests with base; nil means Go's default transport. It
// calls redirect before it follows a redirect; nil means Go's default. The client returns an error
// for an answer that switches protocols. All clients of the program are created here.
func NewClient(base http.RoundTripper, redirect func(next *http.Request, before []*http.Request) error) *http.Client {
	if base == nil {
		base = http.DefaultTransport
	}
	return &http.Client{Transport: staying{base}, CheckRedirect: redirect}
}

// NoRedirect makes a client return a redirect as the answer.
func NoRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// staying returns an error for an answer that switches protocols. The body of such an answer is the
// connection itself, and reading it does not end when the context of the request does.
type staying struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (s staying) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := s.RoundTripper.RoundTrip(request)
	if err == nil && response.StatusCode == http.StatusSwitchingProtocols {
		return nil, errors.Join(errSwitching, response.Body.Close())
	}
	return response, err
}

// CloseIdleConnections closes the idle connections of the underlying transport.
func (s staying) CloseIdleConnections() {
	if closes, is := s.RoundTripper.(interface{ CloseIdleConnections() }); is {
		closes.CloseIdleConnections()
	}
}
