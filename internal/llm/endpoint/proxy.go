package endpoint

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/refusal"
	"agent/internal/llm/vendor"
)

// proxy returns the proxy for requests to this endpoint, or nil.
func (e *Endpoint) proxy() *url.URL {
	transport, ok := e.config.Transport.(*http.Transport)
	if !ok || transport.Proxy == nil {
		return nil
	}
	request, err := http.NewRequest(http.MethodPost, e.config.BaseURL, nil)
	if err != nil {
		return nil
	}
	proxy, err := transport.Proxy(request)
	if err != nil {
		return nil
	}
	return proxy
}

// proxyName returns a note for an error message that names the proxy in use, or "" without a proxy.
func (e *Endpoint) proxyName() string {
	if proxy := e.proxy(); proxy != nil {
		return " (through the proxy " + proxy.Host + ")"
	}
	return ""
}

// hintLogin returns the hint on where to configure the login for the proxy.
func (e *Endpoint) hintLogin() string {
	return "set " + proxyVariable(e.config.BaseURL) + " to http://USER:PASSWORD@HOST:PORT"
}

// proxyVariable returns the environment variable that sets the proxy for an address.
func proxyVariable(address string) string {
	scheme, _, _ := strings.Cut(address, ":")
	return strings.ToUpper(scheme) + "_PROXY"
}

// proxyFailure returns message and hint for a request that failed at the proxy. It returns false if the
// request failed elsewhere.
func (e *Endpoint) proxyFailure(err error) (llm.Error, bool) {
	proxy := e.proxy()
	if proxy == nil {
		return llm.Error{}, false
	}
	where := "the proxy " + proxy.Host + " "
	check := "check " + proxyVariable(e.config.BaseURL) + ", or add the host to NO_PROXY"
	var connect *net.OpError
	cause := rootCause(err)
	switch status := statusOf(cause); {
	case status == http.StatusProxyAuthRequired:
		return llm.Error{Kind: llm.Auth, Message: where + "requires a login", Hint: e.hintLogin(), Status: status, Final: true}, true
	case status != 0:
		again := status >= http.StatusInternalServerError || status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status < http.StatusBadRequest
		return llm.Error{Message: where + "answered " + cause, Hint: check, Final: !again}, true
	case strings.Contains(cause, "malformed HTTP"):
		return llm.Error{Message: where + "does not speak HTTP: " + cause, Hint: check, Final: true}, true
	case errors.As(err, &connect) && (connect.Op == "proxyconnect" || connect.Op == "dial"):
		return llm.Error{Message: where + "is unreachable: " + refusal.Line(innermost(connect)), Hint: check, Unreachable: true}, true
	}
	return llm.Error{}, false
}

// statusOf returns the HTTP status with a status text, or 0 if there is none. net/http reports the
// status of a proxy only by its text.
func statusOf(text string) int {
	for status := http.StatusMultipleChoices; status <= http.StatusNetworkAuthenticationRequired; status++ {
		if text != "" && text == http.StatusText(status) {
			return status
		}
	}
	return 0
}

// innermost returns the reason of a failed connection without its address.
func innermost(err error) string {
	for {
		cause := errors.Unwrap(err)
		if cause == nil {
			return err.Error()
		}
		err = cause
	}
}

// proxyError is the error for a variable that does not contain the address of a proxy.
type proxyError struct{ variable string }

func (e *proxyError) Error() string { return e.variable + " does not contain a valid proxy address" }

// proxyFromEnvironment does the same as http.ProxyFromEnvironment but reports an unreadable address.
// The library uses such an address as a host name, or silently uses no proxy.
func proxyFromEnvironment(request *http.Request) (*url.URL, error) {
	if vendor.IsLocal(request.URL.Host) {
		return http.ProxyFromEnvironment(request)
	}
	variable := proxyVariable(request.URL.String())
	value := os.Getenv(variable)
	if value == "" {
		value = os.Getenv(strings.ToLower(variable))
	}
	if value != "" && !isProxy(value) {
		return nil, &proxyError{variable}
	}
	return http.ProxyFromEnvironment(request)
}

// isProxy reports whether net/http can use value as a proxy: a URL, or a host with a port.
func isProxy(value string) bool {
	if !strings.Contains(value, "://") {
		value = "http://" + value
	}
	address, err := url.Parse(value)
	if err != nil || address.Hostname() == "" {
		return false
	}
	return slices.Contains([]string{"http", "https", "socks5", "socks5h"}, address.Scheme)
}
