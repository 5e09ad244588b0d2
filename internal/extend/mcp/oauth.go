package mcp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"agent/internal/login"
	"agent/internal/reachlog"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// authorizer adds the token to requests to a server. If no user can log in, it uses only a stored
// login. Otherwise the SDK logs in.
type authorizer struct {
	server Server
	logins *Logins
	source *source
	// handler performs the login of the SDK. It is nil if no user can log in.
	handler  *auth.AuthorizationCodeHandler
	callback *login.Callback
	// authorized is set after a login.
	authorized atomic.Bool

	mu sync.Mutex
	// failed is the error of an earlier login, or nil.
	failed error
}

// newAuthorizer returns the authorizer of a server, or nil if the configuration sets the
// Authorization header.
func newAuthorizer(s Server, host Host, base http.RoundTripper) (*authorizer, error) {
	for name := range s.Headers {
		if strings.EqualFold(name, "Authorization") {
			return nil, nil
		}
	}
	a := &authorizer{server: s, logins: host.Logins}
	if a.logins == nil {
		return a, nil
	}
	const patience = 20 * time.Second
	client := reachlog.NewClient(settled{base, a.mayReach}, nil)
	client.Timeout = patience
	a.source = &source{logins: a.logins, server: s, client: client}
	if a.logins.open == nil {
		return a, nil
	}
	var err error
	if a.callback, err = login.NewCallback(s.OAuth.CallbackPort); err != nil {
		return nil, err
	}
	a.handler, err = auth.NewAuthorizationCodeHandler(a.config(client))
	if err != nil {
		a.close()
		return nil, fmt.Errorf("can't prepare the login: %w", err)
	}
	return a, nil
}

// mayReach returns an error if a login must not reach a host. The server chooses its authority. A
// remote server must not make this machine or the user's browser access hosts that only the local
// network can reach.
func (a *authorizer) mayReach(host string) error {
	if server, err := url.Parse(a.server.URL); err != nil || reachlog.IsLocal(host) && !reachlog.IsLocal(server.Hostname()) {
		return fmt.Errorf("the server redirects its login to %s, a host on this machine or the local network", host)
	}
	if a.logins.Allowed == nil {
		return nil
	}
	return a.logins.Allowed(host)
}

// settled is the transport for requests to an authority, which contain codes, secrets and refresh
// tokens. It refuses redirects of such requests, because Go would repeat them at any address.
type settled struct {
	base     http.RoundTripper
	mayReach func(host string) error
}

// RoundTrip implements http.RoundTripper.
func (s settled) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := s.mayReach(request.URL.Hostname()); err != nil {
		return nil, err
	}
	response, err := s.base.RoundTrip(request)
	if err != nil || request.Method == http.MethodGet || response.Header.Get("Location") == "" || response.StatusCode/100 != 3 {
		return response, err
	}
	_ = response.Body.Close()
	return nil, fmt.Errorf("the authorization server redirects to another address; no secrets are sent there")
}

// config returns the configuration for the login of the SDK.
func (a *authorizer) config(client *http.Client) *auth.AuthorizationCodeHandlerConfig {
	config := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL:              a.callback.Address,
		AuthorizationCodeFetcher: a.fetch,
		RequestRefreshToken:      true,
		Client:                   client,
		NewTokenSource:           a.keep,
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName:              "agent",
			RedirectURIs:            []string{a.callback.Address},
			GrantTypes:              []string{"authorization_code", "refresh_token"},
			ResponseTypes:           []string{"code"},
			TokenEndpointAuthMethod: "none",
		}},
	}
	if a.logins.Document != "" {
		config.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: a.logins.Document}
	}
	if id := a.server.OAuth.ClientID; id != "" {
		config.PreregisteredClient = &oauthex.ClientCredentials{ClientID: id}
		if secret := a.server.OAuth.ClientSecret; secret != "" {
			config.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: secret}
		}
	}
	if scopes := a.server.OAuth.Scopes; len(scopes) > 0 {
		config.ScopeFilter = func([]string) []string { return slices.Clone(scopes) }
	}
	return config
}

// fetch opens the authority's login page for the user and returns the answer.
func (a *authorizer) fetch(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	address, err := url.Parse(args.URL)
	if err == nil {
		err = a.mayReach(address.Hostname())
	}
	if err != nil {
		return nil, err
	}
	answer, err := a.callback.Wait(ctx, args.URL, address.Query().Get("state"), a.logins.open)
	if err != nil {
		return nil, err
	}
	if reason := answer.Get("error"); reason != "" {
		return nil, fmt.Errorf("the login was refused: %s", strings.TrimSpace(reason+" "+answer.Get("error_description")))
	}
	return &auth.AuthorizationResult{Code: answer.Get("code"), State: answer.Get("state"), Iss: answer.Get("iss")}, nil
}

// keep stores a new login.
func (a *authorizer) keep(_ context.Context, config *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
	a.authorized.Store(true)
	kept := keptLogin{
		Token: token, TokenURL: config.Endpoint.TokenURL, ClientID: config.ClientID, ClientSecret: config.ClientSecret,
		InHeader: config.Endpoint.AuthStyle == oauth2.AuthStyleInHeader,
	}
	if err := a.logins.set(a.server, kept); err != nil {
		return nil, err
	}
	return a.source, nil
}

// TokenSource implements auth.OAuthHandler.
func (a *authorizer) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	switch {
	case a.logins == nil:
		return nil, nil
	case a.handler != nil:
		return a.handler.TokenSource(ctx)
	case a.logins.get(a.server).Token == nil:
		return nil, nil
	}
	return a.source, nil
}

// Authorize implements auth.OAuthHandler. If no user can log in, it only refreshes a stored login.
func (a *authorizer) Authorize(ctx context.Context, request *http.Request, response *http.Response) error {
	if a.handler != nil {
		return a.logIn(ctx, request, response)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	challenge := strings.Join(response.Header.Values("WWW-Authenticate"), ", ")
	if response.StatusCode == http.StatusForbidden && !strings.Contains(challenge, "insufficient_scope") {
		return nil // a login would not help
	}
	wants := &LoginError{Server: a.server.Name}
	if a.logins == nil {
		return wants
	}
	kept := a.logins.get(a.server)
	if response.StatusCode == http.StatusUnauthorized && kept.Token != nil && kept.Token.RefreshToken != "" {
		used := strings.TrimPrefix(request.Header.Get("Authorization"), "Bearer ")
		if _, err := a.source.refresh(used); err == nil {
			return nil
		}
	}
	kept.Challenge = challenge
	_ = a.logins.set(a.server, kept) // the next login uses this challenge
	return wants
}

// logIn logs the user in. It does not try again after a failed login, because the SDK would then
// use the old protocol and prompt the user a second time.
func (a *authorizer) logIn(ctx context.Context, request *http.Request, response *http.Response) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failed != nil {
		_ = response.Body.Close()
		return a.failed
	}
	a.failed = a.handler.Authorize(ctx, request, response)
	return a.failed
}

// repeatChallenge logs in with a challenge from an earlier session.
func (a *authorizer) repeatChallenge(ctx context.Context, challenge string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.server.URL, nil)
	if err != nil {
		return err
	}
	return a.logIn(ctx, request, &http.Response{
		StatusCode: http.StatusUnauthorized, Body: http.NoBody, Header: http.Header{"Www-Authenticate": {challenge}},
	})
}

func (a *authorizer) close() {
	if a != nil && a.callback != nil {
		a.callback.Close()
	}
}
