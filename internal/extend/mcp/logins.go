package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/login"

	"golang.org/x/oauth2"
)

// Logins stores the tokens of logins to servers.
type Logins struct {
	// Keys stores the secrets, each one word without spaces.
	Keys Keys
	// Folder is the folder of the lock files. A lock prevents two programs from refreshing the same
	// login.
	Folder string
	// Document is the address of this program's client metadata document. If it is empty, the
	// program registers with the authority of each server.
	Document string
	// Allowed returns an error if a login may not reach a host; nil allows every host.
	Allowed func(host string) error

	// open opens an address for the user. It is nil if no user can log in.
	open Opener
}

// Keys stores secrets by the place for which they are valid.
type Keys interface {
	// Get returns the secret for a place, or "" if there is none.
	Get(place string) string
	Set(place, secret string) error
	// Delete removes the secret for a place and reports whether there was one.
	Delete(place string) (bool, error)
}

// Opener opens an address for a user.
type Opener = login.Opener

// keptLogin is a stored login to the server at one address. Its token is never sent to another
// address. Only the authority that issued the token can refresh it.
type keptLogin struct {
	Token        *oauth2.Token `json:"token,omitempty"`
	TokenURL     string        `json:"tokenURL,omitempty"`
	ClientID     string        `json:"clientID,omitempty"`
	ClientSecret string        `json:"clientSecret,omitempty"`
	InHeader     bool          `json:"inHeader,omitempty"`
	// Challenge is the challenge with which the server last requested another login.
	Challenge string `json:"challenge,omitempty"`
}

// place returns the name under which the login of a server is stored.
func (s Server) place() string {
	host := "server"
	if address, err := url.Parse(s.URL); err == nil && address.Host != "" {
		host = address.Hostname()
	}
	sum := sha256.Sum256([]byte(s.URL))
	return fmt.Sprintf("mcp-%s-%x", host, sum[:4])
}

func (l *Logins) get(s Server) keptLogin {
	var kept keptLogin
	text, err := base64.RawURLEncoding.DecodeString(l.Keys.Get(s.place()))
	if err != nil || json.Unmarshal(text, &kept) != nil {
		return keptLogin{}
	}
	return kept
}

func (l *Logins) set(s Server, kept keptLogin) error {
	text, err := json.Marshal(kept)
	if err != nil {
		return fmt.Errorf("can't save the login: %w", err)
	}
	return l.Keys.Set(s.place(), base64.RawURLEncoding.EncodeToString(text))
}

// WithOpener returns a copy of l that can log in with open if a server requires a login.
func (l *Logins) WithOpener(open Opener) *Logins {
	led := *l
	led.open = open
	return &led
}

// Login logs the user in to a server and stores the login.
func (l *Logins) Login(ctx context.Context, s Server, host Host, open Opener) error {
	const bound = 10 * time.Minute // a user needs time to answer
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	host.Logins = l.WithOpener(open)
	s.StartTimeout = bound
	client, err := Connect(ctx, s, host)
	if err != nil {
		return err
	}
	defer client.Close()
	if client.web == nil || client.web.login == nil {
		return fmt.Errorf("%s needs no login: it is a program, or has an Authorization header", s.Name)
	}
	if client.web.login.authorized.Load() {
		return nil
	}
	challenge := l.get(s).Challenge
	if challenge == "" {
		return fmt.Errorf("%s needs no login", s.Name)
	}
	// The server requires a login only for some of its tools.
	return client.web.login.repeatChallenge(ctx, challenge)
}

// Logout removes the login of a server and reports whether there was one.
func (l *Logins) Logout(s Server) (bool, error) { return l.Keys.Delete(s.place()) }

// source is the oauth2.TokenSource of a stored login. It refreshes the token.
type source struct {
	logins *Logins
	server Server
	client *http.Client
}

func (s *source) Token() (*oauth2.Token, error) {
	kept := s.logins.get(s.server)
	if kept.Token.Valid() {
		return kept.Token, nil
	}
	if kept.Token == nil {
		return nil, &LoginError{Server: s.server.Name}
	}
	return s.refresh(kept.Token.AccessToken)
}

// refresh requests a new token to replace the token used, unless another program has already done
// this.
func (s *source) refresh(used string) (*oauth2.Token, error) {
	const patience = 20 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	unlock, err := fsutil.Lock(ctx, s.logins.Folder, s.server.place()+".lock")
	if err != nil {
		return nil, fmt.Errorf("can't refresh the login of %s: %w", s.server.Name, err)
	}
	defer func() { _ = unlock() }()
	kept := s.logins.get(s.server)
	if kept.Token == nil {
		return nil, &LoginError{Server: s.server.Name}
	}
	if kept.Token.Valid() && kept.Token.AccessToken != used {
		return kept.Token, nil
	}
	if kept.Token.RefreshToken == "" {
		return nil, &LoginError{Server: s.server.Name}
	}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, s.client)
	token, err := kept.config().TokenSource(ctx, &oauth2.Token{RefreshToken: kept.Token.RefreshToken}).Token()
	var refused *oauth2.RetrieveError
	switch {
	case errors.As(err, &refused) && refused.Response.StatusCode < http.StatusInternalServerError:
		return nil, &LoginError{Server: s.server.Name}
	case err != nil:
		return nil, fmt.Errorf("can't refresh the login of %s: %w", s.server.Name, err)
	}
	kept.Token = token
	return token, s.logins.set(s.server, kept)
}

func (l keptLogin) config() *oauth2.Config {
	style := oauth2.AuthStyleInParams
	if l.InHeader {
		style = oauth2.AuthStyleInHeader
	}
	return &oauth2.Config{ClientID: l.ClientID, ClientSecret: l.ClientSecret, Endpoint: oauth2.Endpoint{TokenURL: l.TokenURL, AuthStyle: style}}
}
