package llmtest

import (
	"net/http"
	"strings"
)

// Transport brings every request to srv, whatever host it is for, so that a client
// can be determined to talk to a vendor.
func (s *Server) Transport() http.RoundTripper {
	target := strings.TrimPrefix(strings.TrimSuffix(s.URL, "/v1"), "http://")
	transport := &http.Transport{DisableCompression: true}
	s.t.Cleanup(transport.CloseIdleConnections)
	return redirecting{target, transport}
}

type redirecting struct {
	host string
	to   http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (r redirecting) RoundTrip(request *http.Request) (*http.Response, error) {
	redirected := request.Clone(request.Context())
	redirected.URL.Scheme, redirected.URL.Host = "http", r.host
	return r.to.RoundTrip(redirected)
}
