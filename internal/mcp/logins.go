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

	"agent/internal/disk"

	"golang.org/x/oauth2"
)

// Logins keeps what logins to servers gave.
type Logins struct {
	// Keys keeps the secrets, each one word without spaces.
	Keys Keys
	// Folder is where locks are, so that two programs do not refresh the same login.
	Folder string
	// Document is the address of this program's client metadata document; empty: it
	// registers with each server's authority.
	Document string

	// open leads a person through a login; nil in a run.
	open Opener
}

// Keys keeps secrets by the place where they are used.
type Keys interface {
	// Get returns "" where there is none.
	Get(place string) string
	Set(place, secret string) error
	// Delete reports whether there was one.
	Delete(place string) (bool, error)
}

// Opener leads a person to an address. It returns the address at which the browser ended
// up if the person handed that over, or "" if the browser comes back by itself.
type Opener func(ctx context.Context, address string) (returned string, err error)

// login is what is kept of a login, under the server's address: a token is never sent
// elsewhere, and refreshed only by the authority that gave it.
type login struct {
	Token        *oauth2.Token `json:"token,omitempty"`
	TokenURL     string        `json:"tokenURL,omitempty"`
	ClientID     string        `json:"clientID,omitempty"`
	ClientSecret string        `json:"clientSecret,omitempty"`
	InHeader     bool          `json:"inHeader,omitempty"`
	// Challenge is what the server said last when it wanted another login.
	Challenge string `json:"challenge,omitempty"`
}

// place is the name of a server's login.
func (s Server) place() string {
	host := "server"
	if address, err := url.Parse(s.URL); err == nil && address.Host != "" {
		host = address.Hostname()
	}
	sum := sha256.Sum256([]byte(s.URL))
	return fmt.Sprintf("mcp-%s-%x", host, sum[:4])
}

func (l *Logins) get(s Server) login {
	var kept login
	text, err := base64.RawURLEncoding.DecodeString(l.Keys.Get(s.place()))
	if err != nil || json.Unmarshal(text, &kept) != nil {
		return login{}
	}
	return kept
}

func (l *Logins) set(s Server, kept login) error {
	text, err := json.Marshal(kept)
	if err != nil {
		return fmt.Errorf("the login cannot be kept: %w", err)
	}
	return l.Keys.Set(s.place(), base64.RawURLEncoding.EncodeToString(text))
}

// With returns logins that lead a person through one when a server wants it.
func (l *Logins) With(open Opener) *Logins {
	led := *l
	led.open = open
	return &led
}

// Login leads a person through the login of a server and keeps what it gives.
func (l *Logins) Login(ctx context.Context, s Server, host Host, open Opener) error {
	const bound = 10 * time.Minute // a person takes a while
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	host.Logins = l.With(open)
	s.StartTimeout = bound
	client, err := Connect(ctx, s, host)
	if err != nil {
		return err
	}
	defer client.Close()
	if client.web == nil || client.web.login == nil {
		return fmt.Errorf("%s has no login: it is a program, or its Authorization is in its headers", s.Name)
	}
	if client.web.login.authorized.Load() {
		return nil
	}
	challenge := l.get(s).Challenge
	if challenge == "" {
		return fmt.Errorf("%s wants no login", s.Name)
	}
	// It wants one for some of its tools only.
	return client.web.login.again(ctx, challenge)
}

// Logout forgets the login of a server and reports whether there was one.
func (l *Logins) Logout(s Server) (bool, error) { return l.Keys.Delete(s.place()) }

// source gives the tokens of a login that was kept, and refreshes them.
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

// refresh gets a new token instead of one that was used, unless another program already
// has.
func (s *source) refresh(used string) (*oauth2.Token, error) {
	const patience = 20 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	unlock, err := disk.Lock(ctx, s.logins.Folder, s.server.place()+".lock")
	if err != nil {
		return nil, fmt.Errorf("the login of %s cannot be refreshed: %w", s.server.Name, err)
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
		return nil, fmt.Errorf("the login of %s cannot be refreshed: %w", s.server.Name, err)
	}
	kept.Token = token
	return token, s.logins.set(s.server, kept)
}

func (l login) config() *oauth2.Config {
	style := oauth2.AuthStyleInParams
	if l.InHeader {
		style = oauth2.AuthStyleInHeader
	}
	return &oauth2.Config{ClientID: l.ClientID, ClientSecret: l.ClientSecret, Endpoint: oauth2.Endpoint{TokenURL: l.TokenURL, AuthStyle: style}}
}
