// Package login gets tokens for requests, from a program of the user or from an account to which the
// user has logged in. A token is sent only to its own address, over https.
//
// A [Source] returns the present token. [Command] is a source that runs a program. [Account] describes
// an OAuth login, whose source stores and refreshes the tokens. [Sign] adds the token to requests. The
// other parts are for logging in: the table of accounts, the flows, and the callback server, which
// package mcp uses for its logins, too.
package login

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"agent/internal/llm"
)

// A Token signs requests.
type Token struct {
	// Key is sent as a bearer token, unless it is empty.
	Key llm.Key
	// Headers are sent with the token.
	Headers map[string]string
	// Expires is the expiry time of the token, or zero if unknown.
	Expires time.Time
	// Base is the scheme and host of the vendor to which requests go instead of the endpoint. It is ""
	// to use the endpoint.
	Base string
}

// secret returns the part of the token that differs from the next token.
func (t Token) secret() llm.Key {
	if t.Key != "" {
		return t.Key
	}
	return llm.Key(t.Headers["Authorization"])
}

// A Source returns the present token. It must be safe for concurrent use.
type Source interface {
	// Token returns the present token, and gets one if there is none. refused is the secret of a token
	// that the server has refused, or "". If it is set, Token returns another token or an error. The
	// error is an *llm.Error, or ctx's error.
	Token(ctx context.Context, refused llm.Key) (Token, error)
}

func tokenError(hint, format string, args ...any) *llm.Error {
	return &llm.Error{Kind: llm.Auth, Message: fmt.Sprintf(format, args...), Hint: hint, Final: true}
}

// signer is the http.RoundTripper of Sign.
type signer struct {
	base   http.RoundTripper
	source Source
	home   *url.URL
	// used is called with each key before it is used.
	used func(llm.Key)
}

// Sign returns a transport that adds the token of a source to requests. It sends no request to another
// host than that of the base URL, and none that others could read. A request that is refused with 401
// is sent once more, with a new token. used is called with each key before it is sent.
func Sign(base http.RoundTripper, baseURL string, source Source, used func(llm.Key)) http.RoundTripper {
	home, err := url.Parse(baseURL)
	if err != nil {
		home = &url.URL{}
	}
	return &signer{base, source, home, used}
}

// RoundTrip implements http.RoundTripper.
func (s *signer) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Host != s.home.Host || request.URL.Scheme != s.home.Scheme || request.URL.Scheme != "https" && !isLoopback(request.URL.Hostname()) {
		if request.Body != nil {
			_ = request.Body.Close()
		}
		return nil, tokenError("", "the token of %s is not sent to %s://%s", s.home.Host, request.URL.Scheme, request.URL.Host)
	}
	token, err := s.source.Token(request.Context(), "")
	if err != nil {
		return nil, err
	}
	response, err := s.send(request, token)
	if err != nil || response.StatusCode != http.StatusUnauthorized || request.Body != nil && request.GetBody == nil {
		return response, err
	}
	next, err := s.source.Token(request.Context(), token.secret())
	if _, ofLogin := s.source.(*account); err != nil && ofLogin {
		_ = response.Body.Close()
		return nil, err
	}
	if err != nil {
		return response, nil // the message of the server is more precise
	}
	again := request.Clone(request.Context())
	if request.GetBody != nil {
		if again.Body, err = request.GetBody(); err != nil {
			return response, nil
		}
	}
	const most = 64 << 10
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, most))
	_ = response.Body.Close()
	return s.send(again, next)
}

func (s *signer) send(request *http.Request, token Token) (*http.Response, error) {
	signed := request.Clone(request.Context())
	for name, value := range token.Headers {
		signed.Header.Set(name, value)
		s.used(llm.Key(strings.TrimPrefix(value, "Bearer ")))
	}
	if token.Key != "" {
		signed.Header.Set("Authorization", "Bearer "+string(token.Key))
		s.used(token.Key)
	}
	if token.Base != "" {
		to, err := url.Parse(token.Base)
		if err != nil {
			return nil, err
		}
		signed.URL.Scheme, signed.URL.Host, signed.Host = to.Scheme, to.Host, ""
	}
	response, err := s.base.RoundTrip(signed)
	if of, is := s.source.(*account); is && err == nil {
		return of.checkLimits(response)
	}
	return response, err
}

// CloseIdleConnections closes the idle connections of the underlying transport.
func (s *signer) CloseIdleConnections() {
	if closes, is := s.base.(interface{ CloseIdleConnections() }); is {
		closes.CloseIdleConnections()
	}
}

func isLoopback(name string) bool {
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

// asError returns the *llm.Error in an error about an unavailable token.
func asError(err error) (*llm.Error, bool) { return errors.AsType[*llm.Error](err) }
