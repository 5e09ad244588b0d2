package hosts

import (
	"errors"
	"net/http"
)

// errSwitching is the error for a server that changes the protocol of the connection.
var errSwitching = errors.New("the server switched to another protocol (101), as a proxy for web sockets does")

// Staying returns a transport that makes the requests of base and refuses an answer that switches
// protocols. The body of such an answer is the connection itself, and reading it does not end when
// the context of the request does.
func Staying(base http.RoundTripper) http.RoundTripper { return staying{base} }

type staying struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (s staying) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := s.RoundTripper.RoundTrip(request)
	if err == nil && response.StatusCode == http.StatusSwitchingProtocols {
		return nil, errors.Join(errSwitching, response.Body.Close())
	}
	return response, err
}

// CloseIdleConnections closes the idle connections of the transport below.
func (s staying) CloseIdleConnections() {
	if closes, is := s.RoundTripper.(interface{ CloseIdleConnections() }); is {
		closes.CloseIdleConnections()
	}
}
