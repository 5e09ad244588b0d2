package settings

import (
	"errors"
	"net/textproto"
	"strings"
)

// headerPrefix begins the keys of headers.
const headerPrefix = "header."

// Headers represents the HTTP headers that are added to every request. Each header is a setting
// whose key ends in the name of the header, such as header.X-Region.
var Headers = Optional(headerPrefix+"NAME", Line(), "none",
	"HTTP header sent with every request, such as header.X-Region")

// Header is an HTTP header that is set.
type Header struct {
	// Key is the key of the setting.
	Key         string
	Name, Value string
	// From is the layer that sets the header.
	From Source
}

// HeadersOf returns the headers that are set in s.
func HeadersOf(s *Settings) []Header {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var headers []Header
	for _, key := range s.headers() {
		if value, from := s.boundedValue(LayerSession, key); value.IsSet() {
			headers = append(headers, Header{key, strings.TrimPrefix(key, headerPrefix), value.String(), from})
		}
	}
	return headers
}

// header returns the setting for a header key, or nil if name is not the key of a header.
func (r *Registry) header(name string) (*Spec, error) {
	family, known := r.byName[Headers.Key()]
	if !known || !strings.HasPrefix(strings.ToLower(name), headerPrefix) {
		return nil, nil
	}
	header, err := headerName(name[len(headerPrefix):])
	if err != nil {
		return nil, &Error{Key: name, Problem: err.Error()}
	}
	spec := *family
	spec.Key = headerPrefix + header
	return &spec, nil
}

// headerName returns the canonical name of a header that a user may set.
func headerName(name string) (string, error) {
	const tokens = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
	if name == "" || headerPrefix+name == Headers.Key() || strings.Trim(strings.ToLower(name), tokens) != "" {
		return "", errors.New("does not end with a valid HTTP header name, such as header.X-Region")
	}
	name = textproto.CanonicalMIMEHeaderKey(name)
	switch name {
	case "Authorization", "Proxy-Authorization", "Cookie":
		return "", errors.New("would contain an API key, and API keys are not settings: put the key in a file and set auth-keyfile to its path, or run: agent login")
	case "Content-Type", "Content-Length", "Content-Encoding", "Transfer-Encoding", "Connection", "Host", "Accept", "Accept-Encoding":
		return "", errors.New("is set by agent and can't be changed")
	}
	return name, nil
}
