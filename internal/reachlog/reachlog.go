// Package reachlog creates the HTTP clients of the program and reports which hosts they reach, for
// the session log. A host is reached when a connection to it exists. For a request through a proxy,
// the reported host is the proxy.
package reachlog

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
)

// Watch returns a context whose requests report each host that they reach, including after
// redirects. The port is omitted if it is 80 or 443. reached may be called on any goroutine.
func Watch(ctx context.Context, reached func(host string)) context.Context {
	var mu sync.Mutex
	asked := ""
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(host string) {
			mu.Lock()
			defer mu.Unlock()
			asked = strings.TrimSuffix(strings.TrimSuffix(host, ":443"), ":80")
		},
		GotConn: func(httptrace.GotConnInfo) {
			mu.Lock()
			host := asked
			mu.Unlock()
			reached(host)
		},
	})
}

// NewTransport returns a transport that makes the requests of base and reports the hosts that they
// reach.
func NewTransport(base http.RoundTripper, reached func(host string)) http.RoundTripper {
	return noting{base, reached}
}

type noting struct {
	http.RoundTripper
	reached func(host string)
}

// RoundTrip implements http.RoundTripper.
func (n noting) RoundTrip(request *http.Request) (*http.Response, error) {
	return n.RoundTripper.RoundTrip(request.WithContext(Watch(request.Context(), n.reached)))
}

// CloseIdleConnections closes the idle connections of the underlying transport.
func (n noting) CloseIdleConnections() {
	if closes, is := n.RoundTripper.(interface{ CloseIdleConnections() }); is {
		closes.CloseIdleConnections()
	}
}

// A HostList holds distinct hosts. It is safe for concurrent use. A nil HostList is empty.
type HostList struct {
	mu  sync.Mutex
	all []string
}

// Add adds a host.
func (l *HostList) Add(host string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.all, host) {
		l.all = append(l.all, host)
	}
}

// All returns the hosts in the order in which they were added.
func (l *HostList) All() []string {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all)
}
