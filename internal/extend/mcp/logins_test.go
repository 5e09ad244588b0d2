package mcp

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"agent/internal/login"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"golang.org/x/oauth2"
)

// memory stores secrets for the duration of a test.
type memory map[string]string

func (m memory) Get(place string) string        { return m[place] }
func (m memory) Set(place, secret string) error { m[place] = secret; return nil }
func (m memory) Delete(string) (bool, error)    { return false, nil }

// A login is stored for one address, under a name with the host.
func TestPlacesOfLogins(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for url, begins := range map[string]string{
		"https://a.example:8443/x": "mcp-a.example-", "https://a.example/x": "mcp-a.example-", "https://a.example/y": "mcp-a.example-", "stdio": "mcp-server-", "https://a%zz/": "mcp-server-",
	} {
		place := Server{URL: url}.place()
		if !strings.HasPrefix(place, begins) || seen[place] {
			t.Errorf("%s is kept as %s", url, place)
		}
		seen[place] = true
	}
}

// A stored valid token is used. Without one, or with a damaged one, the server requires a login.
func TestTokensThatAreKept(t *testing.T) {
	t.Parallel()
	s := Server{Name: "s", URL: "https://a.example/"}
	expired := &oauth2.Token{AccessToken: "a", Expiry: time.Now().Add(-time.Hour)}
	for name, tt := range map[string]struct {
		kept  *keptLogin
		text  string
		token string
	}{
		"valid":                       {kept: &keptLogin{Token: &oauth2.Token{AccessToken: "a"}}, token: "a"},
		"expired, with no refresh":    {kept: &keptLogin{Token: expired}},
		"only a challenge":            {kept: &keptLogin{Challenge: "c"}},
		"nothing":                     {},
		"no text":                     {text: "!"},
		"half, after it was readable": {text: base64.RawURLEncoding.EncodeToString([]byte(`{"token":{"access_token":"a"},"tokenURL":5}`))},
	} {
		keys := memory{s.place(): tt.text}
		logins := &Logins{Keys: keys, Folder: t.TempDir()}
		if tt.kept != nil {
			if err := logins.set(s, *tt.kept); err != nil {
				t.Fatal(err)
			}
		}
		token, err := (&source{logins: logins, server: s}).Token()
		var wanted *LoginError
		if tt.token != "" && (err != nil || token.AccessToken != tt.token) || tt.token == "" && !errors.As(err, &wanted) {
			t.Errorf("%s: %+v, %v", name, token, err)
		}
	}
	// Another program has refreshed it.
	logins := &Logins{Keys: memory{}, Folder: t.TempDir()}
	if err := logins.set(s, keptLogin{Token: &oauth2.Token{AccessToken: "new"}}); err != nil {
		t.Fatal(err)
	}
	if token, err := (&source{logins: logins, server: s}).refresh("old"); err != nil || token.AccessToken != "new" {
		t.Errorf("%+v, %v", token, err)
	}
	var wanted *LoginError
	if _, err := (&source{logins: logins, server: s}).refresh("new"); !errors.As(err, &wanted) {
		t.Errorf("a token that the server refused, without another: %v", err)
	}
}

// answers is a server that gives every request this answer.
type answers http.Response

func (a answers) RoundTrip(*http.Request) (*http.Response, error) {
	r := http.Response(a)
	r.Body = http.NoBody
	return &r, nil
}

// A request with a secret follows no redirect, and a lookup does.
func TestSecretsAreNotRedirected(t *testing.T) {
	t.Parallel()
	elsewhere := http.Header{"Location": {"https://evil.example/"}}
	for _, tt := range []struct {
		method  string
		status  int
		header  http.Header
		refused bool
	}{
		{"POST", 307, elsewhere, true}, {"POST", 302, elsewhere, true}, {"GET", 302, elsewhere, false}, {"POST", 304, nil, false}, {"POST", 201, elsewhere, false},
	} {
		request, err := http.NewRequestWithContext(t.Context(), tt.method, "https://a.example/", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := settled{answers{StatusCode: tt.status, Header: tt.header}, func(string) error { return nil }}.RoundTrip(request)
		if err == nil {
			response.Body.Close()
		}
		if (err != nil) != tt.refused {
			t.Errorf("%s that is answered with %d: %v", tt.method, tt.status, err)
		}
	}
}

// A server on the internet can't lead a login to an address that only this machine or its network
// can reach. This is true for requests of the program and for the user's browser.
func TestLoginsStayInTheirNetwork(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		server, to string
		fine       bool
	}{
		{"https://mcp.example.com/x", "https://login.example.org/a", true},
		{"https://mcp.example.com/x", "http://127.0.0.1:2375/a", false},
		{"https://mcp.example.com/x", "https://[::1]/a", false},
		{"https://mcp.example.com/x", "https://169.254.169.254/a", false},
		{"https://mcp.example.com/x", "http://localhost:9/a", false},
		{"http://127.0.0.1:9/x", "http://127.0.0.1:8/a", true},
		{"https://mcp.example.com/x", "https://sso/a", true},
		{"https://tools.internal/x", "https://login.internal/a", true},
		{"https://10.0.0.1/x", "https://login.example.org/a", true},
	} {
		a := &authorizer{server: Server{URL: tt.server}, logins: &Logins{}}
		opened := false
		a.logins.open = func(context.Context, string) (string, error) { opened = true; return "", errors.New("no browser") }
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, tt.to, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := settled{answers{StatusCode: 200}, a.mayReach}.RoundTrip(request)
		if err == nil {
			response.Body.Close()
		}
		if a.callback, err = login.NewCallback(0); err != nil {
			t.Fatal(err)
		}
		_, _ = a.fetch(t.Context(), &auth.AuthorizationArgs{URL: tt.to + "?state=s"})
		a.close()
		if (response != nil) != tt.fine || opened != tt.fine {
			t.Errorf("%s leads to %s: requests %v, browser %v", tt.server, tt.to, response != nil, opened)
		}
	}
}

// If there is no user to log in, the challenge of the server is stored for the next login. A server
// that forbids a call with any login causes no challenge.
func TestChallengesAreKept(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status    int
		challenge string
		wants     bool
	}{{401, "Bearer x", true}, {403, `Bearer error="insufficient_scope"`, true}, {403, "Bearer x", false}} {
		s := Server{Name: "s", URL: "https://a.example/"}
		a := &authorizer{server: s, logins: &Logins{Keys: memory{}, Folder: t.TempDir()}}
		err := a.Authorize(t.Context(), &http.Request{}, &http.Response{StatusCode: tt.status, Header: http.Header{"Www-Authenticate": {tt.challenge}}, Body: http.NoBody})
		if kept := a.logins.get(s).Challenge; (err != nil) != tt.wants || (kept == tt.challenge) != tt.wants {
			t.Errorf("%d %s: %v, kept %q", tt.status, tt.challenge, err, kept)
		}
	}
}
