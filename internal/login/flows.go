package login

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/llm"

	"golang.org/x/oauth2"
)

// A Prompter interacts with the user during a login.
type Prompter struct {
	// Open opens an address in a browser for the user.
	Open Opener
	// Show shows an address, and the code to type at that address.
	Show func(ctx context.Context, address, code string) error
	// Device is set if the device code is preferred, if a vendor supports both.
	Device bool
	// Now returns the current time.
	Now func() time.Time
}

// patience limits the time of a login, which waits for the user.
const patience = 15 * time.Minute

// Login logs the user in at the vendor, and returns the login. Nothing is stored. transport sends the
// requests to the vendor.
func (a Account) Login(ctx context.Context, transport http.RoundTripper, clientID string, person Prompter) (Login, error) {
	if err := a.CheckLogin(clientID); err != nil {
		return Login{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, tokenError("", "the login to %s timed out after %s", a.Title, patience))
	defer cancel()
	c := newCaller(a, transport)
	flow := c.code
	if a.device != "" && (person.Device || a.authorize == "") {
		flow = c.byDevice
	} else if person.Device {
		return Login{}, tokenError("", "%s can't log in with a device code. Use --paste with a browser on another machine", a.Title)
	}
	tokens, err := flow(ctx, clientID, person)
	if err != nil {
		return Login{}, err
	}
	l, err := c.login(Login{Account: a.Name, ClientID: clientID}, tokens, person.Now())
	if err != nil || a.whoami == "" {
		return l, err
	}
	var who struct {
		Login string `json:"login"`
	}
	if c.ask(ctx, http.MethodGet, a.whoami, map[string]string{"Authorization": "Bearer " + l.Access}, "", &who) == nil {
		l.Name = humanize.Line(who.Login, 80) // the login also works without a name
	}
	return l, nil
}

// LoginForKey logs the user in at a vendor that creates an API key for the account, and returns the
// key.
func (a Account) LoginForKey(ctx context.Context, transport http.RoundTripper, person Prompter) (llm.Key, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, tokenError("", "the login to %s timed out after %s", a.Title, patience))
	defer cancel()
	verifier := oauth2.GenerateVerifier()
	code, _, err := a.inBrowser(ctx, person.Open, func(returns, state string) url.Values {
		// The vendor does not return a state parameter, so the state is a part of the callback address.
		return url.Values{"callback_url": {returns + "?state=" + state}, "code_challenge": {oauth2.S256ChallengeFromVerifier(verifier)}, "code_challenge_method": {"S256"}}
	})
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(map[string]string{"code": code, "code_verifier": verifier, "code_challenge_method": "S256"})
	if err != nil {
		return "", err
	}
	var said struct {
		Key string `json:"key"`
	}
	if err := newCaller(a, transport).ask(ctx, http.MethodPost, a.keys, map[string]string{"Content-Type": "application/json"}, string(body), &said); err != nil {
		return "", err
	}
	if said.Key == "" || checkKey(said.Key) != nil {
		return "", tokenError("", "%s returned no API key", a.Title)
	}
	return llm.Key(said.Key), nil
}

// inBrowser opens the page on which the user approves the login. It returns the authorization code, and
// the address to which the browser returned. query returns the parameters of the page.
func (a Account) inBrowser(ctx context.Context, open Opener, query func(returns, state string) url.Values) (code, returned string, err error) {
	back, err := NewCallback(0)
	if err != nil {
		return "", "", err
	}
	defer back.Close()
	state := rand.Text()
	answer, err := back.Wait(ctx, a.authorize+"?"+query(back.Address, state).Encode(), state, open)
	if err != nil {
		return "", "", err
	}
	code, reason := answer.Get("code"), answer.Get("error")
	switch {
	case subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(state)) != 1:
		return "", "", tokenError("", "the address is from another login attempt")
	case reason != "" || code == "":
		return "", "", tokenError("", "the login was refused: %s", humanize.Line(strings.TrimSpace(reason+" "+answer.Get("error_description")), 300))
	}
	return code, back.Address, nil
}

// code runs the flow in a browser (RFC 6749 with RFC 7636).
func (c caller) code(ctx context.Context, clientID string, person Prompter) (answer, error) {
	verifier := oauth2.GenerateVerifier()
	code, returned, err := c.account.inBrowser(ctx, person.Open, func(returns, state string) url.Values {
		query := url.Values{
			"response_type": {"code"}, "client_id": {clientID}, "redirect_uri": {returns}, "state": {state}, "scope": {c.account.scope},
			"code_challenge": {oauth2.S256ChallengeFromVerifier(verifier)}, "code_challenge_method": {"S256"},
		}
		for name, value := range c.account.more {
			query.Set(name, value)
		}
		return query
	})
	if err != nil {
		return answer{}, err
	}
	return c.post(ctx, c.account.token, url.Values{
		"grant_type": {"authorization_code"}, "client_id": {clientID}, "code": {code}, "redirect_uri": {returned}, "code_verifier": {verifier},
	})
}

// The waits of the device flow, used if the vendor sets none or longer ones (RFC 8628).
const (
	usualInterval = 5 * time.Second
	slowerBy      = 5 * time.Second
	maxInterval   = time.Minute
)

// byDevice runs the flow with a code that is typed on another device (RFC 8628).
func (c caller) byDevice(ctx context.Context, clientID string, person Prompter) (answer, error) {
	if c.account.codes != nil {
		return c.byCodes(ctx, clientID, person)
	}
	form := url.Values{"client_id": {clientID}}
	if c.account.scope != "" {
		form.Set("scope", c.account.scope)
	}
	verifier := oauth2.GenerateVerifier()
	if c.account.proof {
		form.Set("code_challenge", oauth2.S256ChallengeFromVerifier(verifier))
		form.Set("code_challenge_method", "S256")
	}
	given, err := c.post(ctx, c.account.device, form)
	if err != nil {
		return answer{}, err
	}
	address := cmp.Or(given.AddressWhole, given.Address, given.AddressToo)
	if at, err := url.Parse(address); given.DeviceCode == "" || err != nil || at.Scheme != "https" && !isLoopback(at.Hostname()) {
		address = ""
	}
	form = url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"}, "client_id": {clientID}, "device_code": {given.DeviceCode}}
	if c.account.proof {
		form.Set("code_verifier", verifier)
	}
	return c.await(ctx, person, address, given, func(ctx context.Context) (answer, error) {
		tokens, err := c.post(ctx, c.account.token, form)
		if err == nil && tokens.Access == "" || isCode(err, "authorization_pending") {
			err = errPending
		}
		return tokens, err
	})
}

// errPending means that the user has not confirmed the login yet.
var errPending = errors.New("the login is not confirmed yet")

// await shows the user the code of an answer, and polls the vendor until the user has confirmed it. If
// the vendor does not answer, await polls again.
func (c caller) await(ctx context.Context, person Prompter, address string, given answer, ask func(context.Context) (answer, error)) (answer, error) {
	if address == "" || given.UserCode == "" {
		return answer{}, tokenError("", "%s returned no login code", c.account.Title)
	}
	if err := person.Show(ctx, address, humanize.Line(given.UserCode, 40)); err != nil {
		return answer{}, err
	}
	if life := time.Duration(given.Expires.NonNegative()) * time.Second; life > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, life, tokenError("", "the login code of %s has expired. Log in again", c.account.Title))
		defer cancel()
		ctx = limited
	}
	interval := usualInterval
	if asked := time.Duration(given.Interval.NonNegative()) * time.Second; asked > 0 {
		interval = min(asked, maxInterval)
	}
	for {
		if llm.Sleep(ctx, interval) != nil {
			return answer{}, context.Cause(ctx)
		}
		tokens, err := ask(ctx)
		switch {
		case err == nil:
			return tokens, nil
		case ctx.Err() != nil:
			return answer{}, context.Cause(ctx)
		case errors.Is(err, errPending):
		case isCode(err, "slow_down"), passes(err):
			interval = min(interval+slowerBy, maxInterval)
		default:
			return answer{}, err
		}
	}
}

// A codeFlow contains the addresses of a device flow that ends with an authorization code.
type codeFlow struct {
	// page is where the user types the code. ask is polled for the confirmation. returns is the
	// redirect address for which the authorization code is issued.
	page, ask, returns string
}

// byCodes runs OpenAI's own flow with a code that is typed on another device. It uses JSON. The
// statuses 403 and 404 mean that the login is not confirmed yet. The authorization code is returned
// with its verifier.
func (c caller) byCodes(ctx context.Context, clientID string, person Prompter) (answer, error) {
	flow := c.account.codes
	post := func(ctx context.Context, address string, body map[string]string) (a answer, err error) {
		text, err := json.Marshal(body)
		if err != nil {
			return a, err
		}
		err = c.ask(ctx, http.MethodPost, address, map[string]string{"Content-Type": "application/json"}, string(text), &a)
		return a, err
	}
	given, err := post(ctx, c.account.device, map[string]string{"client_id": clientID})
	if err != nil {
		return answer{}, err
	}
	given.UserCode = cmp.Or(given.UserCode, given.UserCodeToo)
	agreed, err := c.await(ctx, person, flow.page, given, func(ctx context.Context) (answer, error) {
		agreed, err := post(ctx, flow.ask, map[string]string{"device_auth_id": given.DeviceID, "user_code": given.UserCode})
		if e, is := asError(err); is && (e.Status == http.StatusForbidden || e.Status == http.StatusNotFound) {
			err = errPending
		}
		return agreed, err
	})
	if err != nil {
		return answer{}, err
	}
	return c.post(ctx, c.account.token, url.Values{
		"grant_type": {"authorization_code"}, "client_id": {clientID}, "code": {agreed.Code}, "redirect_uri": {flow.returns}, "code_verifier": {agreed.Verifier},
	})
}

// passes reports whether an error of a vendor may be temporary.
func passes(err error) bool {
	e, is := asError(err)
	return is && !e.Final
}
