// Package login gets tokens for requests: from a program of the user that prints one, or from an
// account that the user has logged in to. A token goes to the address it is for, over https, and
// nowhere else.
//
// A [Source] has the present token. [Command] is a source that runs a program; [Account] is one
// that keeps and refreshes the tokens of an OAuth login. [Sign] adds the token to requests. The
// rest is what logging in needs: the table of accounts, the flows, and the server to which a
// browser returns, which package mcp uses for its logins, too.
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

// A Token is what signs requests.
type Token struct {
	// Key is sent as a bearer token, unless it is empty.
	Key llm.Key
	// Headers are sent, too.
	Headers map[string]string
	// Expires is when it ends; zero if that is not known.
	Expires time.Time
	// Base is the scheme and host of the vendor to which requests go instead of the endpoint, "" to
	// use the endpoint.
	Base string
}

// secret is what distinguishes the token from the one after it.
func (t Token) secret() llm.Key {
	if t.Key != "" {
		return t.Key
	}
	return llm.Key(t.Headers["Authorization"])
}

// A Source returns the present token. It is safe for concurrent use.
type Source interface {
	// Token returns the present token, and gets one if there is none. refused is the secret of a
	// token that the server has refused, "" for none: another token is returned, or an error. The
	// error is an *llm.Error, or that of ctx.
	Token(ctx context.Context, refused llm.Key) (Token, error)
}

// tokenError returns the error of a token that cannot be had.
func tokenError(hint, format string, args ...any) *llm.Error {
	return &llm.Error{Kind: llm.Auth, Message: fmt.Sprintf(format, args...), Hint: hint, Final: true}
}

// signer is the http.RoundTripper of Sign.
type signer struct {
	base   http.RoundTripper
	source Source
	home   *url.URL
	// used is told each key that is used.
	used func(llm.Key)
}

// Sign returns a transport whose requests have the token of a source. It makes no request to
// another place than the base URL, nor one that others can read. A request that is refused with
// 401 is made once more, with a new token. used is told each key before it is sent.
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

// CloseIdleConnections closes the idle connections of the transport below.
func (s *signer) CloseIdleConnections() {
	if closes, is := s.base.(interface{ CloseIdleConnections() }); is {
		closes.CloseIdleConnections()
	}
}

func isLoopback(name string) bool {
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

// asError returns the error of a token that cannot be had as the program shows it.
func asError(err error) (*llm.Error, bool) { return errors.AsType[*llm.Error](err) }
