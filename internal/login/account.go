package login

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/vendor"
	"agent/internal/reachlog"
)

// sooner is how long before its expiry a token is refreshed, unless its lifetime is short.
const sooner = 5 * time.Minute

// Sources contains the sources of a user's logins, so that all conversations of a process share them.
type Sources struct {
	Store Store
	Now   func() time.Time
	// Transport sends the requests to vendors. If nil, Go's default transport is used.
	Transport http.RoundTripper
	// Reached, which may be nil, is called with each host from which a token is requested.
	Reached func(host string)
	// Say shows the user a line about something that could not be stored.
	Say func(line string)

	mu  sync.Mutex
	all map[string]*account
}

func (s *Sources) transport() http.RoundTripper {
	base := s.Transport
	if base == nil {
		base = http.DefaultTransport
	}
	if s.Reached == nil {
		return base
	}
	return reachlog.NewTransport(base, s.Reached)
}

// Source returns the source of the tokens of a stored login.
func (s *Sources) Source(id string) Source {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[string]*account{}
	}
	if s.all[id] == nil {
		s.all[id] = s.newAccount(id)
	}
	return s.all[id]
}

func (s *Sources) newAccount(id string) *account {
	a := &account{sources: s, id: id}
	a.begin(a.currentToken, a.ask)
	return a
}

// NewSource returns the source of the tokens of a login that is not stored yet. The tokens are not
// refreshed.
func (s *Sources) NewSource(l Login) Source {
	a := s.newAccount(l.ID())
	a.login, a.fixed = &l, true
	return a
}

// account is the Source of a login.
type account struct {
	sources *Sources
	id      string
	// fixed is set if the login is not in the store yet, so that its tokens are not refreshed.
	fixed bool

	shared
	// login is the login as it was last read, or nil before that. short is the short-lived token for
	// which its token was exchanged.
	login *Login
	short *Token
	// windows contains the rate limits from the latest replies.
	windows atomic.Pointer[[]LimitWindow]
}

// currentToken returns the present token, until shortly before its expiry.
func (a *account) currentToken(refused llm.Key) (Token, bool) {
	if a.login == nil {
		return Token{}, false
	}
	of, err := a.login.of()
	if err != nil {
		return Token{}, false
	}
	token, lasts := a.login.token(), a.isCurrent()
	if of.exchange != "" {
		if a.short == nil {
			return Token{}, false
		}
		token = *a.short
		lasts = token.Expires.IsZero() || a.sources.Now().Before(token.Expires.Add(-sooner))
	}
	return token, lasts && (refused == "" || token.secret() != refused)
}

// isCurrent reports whether the token of the login need not be refreshed yet.
func (a *account) isCurrent() bool {
	renew := a.login.Renew
	if renew.IsZero() {
		renew = a.login.Expires.Add(-sooner)
	}
	return a.login.Expires.IsZero() || a.sources.Now().Before(renew)
}

func (l Login) token() Token {
	return Token{Key: llm.Key(l.Access), Headers: l.Headers, Expires: l.Expires, Base: l.Base}
}

// ask gets another token: one that another process has stored meanwhile, or a new one.
func (a *account) ask(refused llm.Key) (Token, error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockWait+2*vendorTime)
	defer cancel()
	if !a.fixed {
		read, found, err := a.sources.Store.Get(a.id)
		switch {
		case a.login != nil && (err != nil || !found) && a.isCurrent(): // the new login could not be stored
		case err != nil:
			return Token{}, tokenError("", "%v", err)
		case !found:
			e := a.logInAgain("no login " + a.id + " is stored")
			e.Hint = strings.Replace(e.Hint, "log in again", "log in", 1)
			return Token{}, e
		default:
			if a.login == nil || a.login.Access != read.Access {
				a.short = nil
			}
			a.login = &read
		}
	}
	of, err := a.login.of()
	if err != nil {
		return Token{}, tokenError("", "%v", err)
	}
	c := newCaller(of, a.sources.transport())
	if used := a.login.Access; !a.isCurrent() || of.exchange == "" && string(refused) == used && refused != "" {
		if err := a.refresh(ctx, c, used, refused != ""); err != nil {
			return Token{}, err
		}
	}
	if of.exchange == "" {
		return a.login.token(), nil
	}
	err = a.swap(ctx, c)
	if e, is := asError(err); is && e.Status == http.StatusUnauthorized && a.login.Refresh != "" && !a.fixed {
		if err = a.refresh(ctx, c, a.login.Access, true); err == nil {
			err = a.swap(ctx, c)
		}
	}
	if e, is := asError(err); is && e.Status == http.StatusUnauthorized && !a.fixed {
		return Token{}, a.logInAgain(e.Message)
	}
	if err != nil {
		return Token{}, err
	}
	return *a.short, nil
}

// logInAgain returns the error that tells the user to log in again. The stored login is not deleted.
func (a *account) logInAgain(why string) *llm.Error {
	name, as, _ := strings.Cut(a.id, ":")
	line := "agent login " + name
	if of, known := vendor.Named(name); known && !of.Account {
		line += " --oauth" // without --oauth the command would ask for an API key
	}
	if as != "" {
		line += " --as " + as
	}
	return tokenError("log in again: "+line, "%s", why)
}

// refresh gets the login that follows used. If several processes need it at once, one sends the request
// to the vendor, and the others read the login that it has stored. must is set if the present token was
// refused. Otherwise the present token is used until its expiry while the vendor does not answer.
func (a *account) refresh(ctx context.Context, c caller, used string, must bool) error {
	if a.fixed {
		return a.logInAgain("the token of " + c.account.Title + " was refused")
	}
	return a.sources.Store.WithLock(ctx, func() error {
		for again := false; ; again = true {
			if read, found, err := a.sources.Store.Get(a.id); err == nil && found {
				if again && read.Refresh == a.login.Refresh {
					return a.logInAgain("the login " + a.id + " is no longer valid")
				}
				a.login = &read
			}
			if a.login.Access != used && a.isCurrent() {
				return nil
			}
			if a.login.Refresh == "" {
				if !must && a.sources.Now().Before(a.login.Expires) {
					return nil
				}
				return a.logInAgain("the login " + a.id + " has ended")
			}
			tokens, err := c.post(ctx, c.account.token, url.Values{"grant_type": {"refresh_token"}, "client_id": {a.login.ClientID}, "refresh_token": {a.login.Refresh}})
			if isCode(err, "invalid_grant") && !again {
				continue // another process may have used the port in the meantime
			}
			if err == nil {
				return a.keep(c, tokens)
			}
			if !must && a.sources.Now().Before(a.login.Expires) {
				return nil
			}
			if isCode(err, "invalid_grant") {
				return a.logInAgain("the login " + a.id + " is no longer valid")
			}
			return err
		}
	})
}

// keep stores the login with new tokens. The caller holds the lock of the store.
func (a *account) keep(c caller, tokens answer) error {
	next, err := c.login(*a.login, tokens, a.sources.Now())
	if err != nil {
		return err
	}
	if _, err := a.sources.Store.Set(next); err != nil && a.sources.Say != nil {
		a.sources.Say(fmt.Sprintf("%v. The login %s can be used in this run only", err, a.id))
	}
	a.login, a.short = &next, nil
	return nil
}

// swap exchanges the token for a short-lived one.
func (a *account) swap(ctx context.Context, c caller) error {
	var said struct {
		Token     string `json:"token"`
		Expires   int64  `json:"expires_at"`
		RefreshIn int64  `json:"refresh_in"`
		Endpoints struct {
			API string `json:"api"`
		} `json:"endpoints"`
	}
	err := c.ask(ctx, http.MethodGet, c.account.exchange, map[string]string{"Authorization": "Bearer " + a.login.Access}, "", &said)
	if err != nil {
		return err
	}
	if said.Token == "" || checkKey(said.Token) != nil {
		return tokenError("", "%s returned no usable token", c.account.Title)
	}
	token := Token{Key: llm.Key(said.Token), Headers: a.login.Headers, Base: c.base(said.Endpoints.API)}
	if said.Endpoints.API != "" && token.Base == "" {
		return tokenError("", "%s returned an API address on an unknown host", c.account.Title)
	}
	switch { // the clock of this machine may be wrong
	case said.RefreshIn > 0:
		token.Expires = a.sources.Now().Add(time.Duration(min(said.RefreshIn, 1<<31))*time.Second + sooner)
	case said.Expires > 0:
		token.Expires = time.Unix(said.Expires, 0)
	}
	a.short = &token
	return nil
}

// InvalidateCache makes all sources read their logins again.
func (s *Sources) InvalidateCache() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.all {
		a.asking <- struct{}{}
		a.login, a.short = nil, nil
		<-a.asking
	}
}

// finishTime limits the wait of Finish for a vendor that does not answer.
const finishTime = 5 * time.Second

// Finish waits until the tokens that are being refreshed are stored. A program that ends earlier
// loses the login, because the vendor no longer accepts the previous refresh token.
func (s *Sources) Finish() {
	s.mu.Lock()
	all := slices.Collect(maps.Values(s.all))
	s.mu.Unlock()
	late := time.After(finishTime)
	for _, a := range all {
		select {
		case a.asking <- struct{}{}:
			<-a.asking
		case <-late:
			return
		}
	}
}

// Save stores a new login, and returns it as it is stored.
func (s *Sources) Save(ctx context.Context, l Login) (Login, error) {
	defer s.InvalidateCache()
	err := s.Store.WithLock(ctx, func() (err error) {
		l, err = s.Store.Set(l)
		return err
	})
	return l, err
}

// Logout deletes a login, and revokes its tokens if the vendor supports that. found is false if there
// is no such login. unrevoked is the reason why the vendor did not revoke the tokens. It is nil if the
// vendor did, or does not support it.
func (s *Sources) Logout(ctx context.Context, id string) (found bool, unrevoked, err error) {
	defer s.InvalidateCache()
	err = s.Store.WithLock(ctx, func() error {
		all, err := s.Store.All()
		if err != nil {
			return err
		}
		for _, l := range all {
			if l.ID() != id {
				continue
			}
			found = true
			if whole, there, _ := s.Store.Get(id); there {
				unrevoked = s.revoke(ctx, whole)
			}
			return s.Store.Delete(l)
		}
		return nil
	})
	return found, unrevoked, err
}

// revoke revokes the tokens of a login at the vendor (RFC 7009).
func (s *Sources) revoke(ctx context.Context, l Login) error {
	of, err := l.of()
	if err != nil || of.revoke == "" {
		return nil
	}
	form := url.Values{"token": {l.Access}, "token_type_hint": {"access_token"}, "client_id": {l.ClientID}}
	if l.Refresh != "" {
		form.Set("token", l.Refresh)
		form.Set("token_type_hint", "refresh_token")
	}
	c := newCaller(of, s.Transport)
	var ignored any
	err = c.ask(ctx, http.MethodPost, of.revoke, map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, form.Encode(), &ignored)
	if e, is := asError(err); is && e.Status == 0 && e.Kind == llm.Auth {
		return nil // the answer of a revocation has no content
	}
	return err
}
