package login

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/base/lazyregexp"
	"agent/internal/llm"
	"agent/internal/llm/lenientjson"
	"agent/internal/reachlog"
)

// hostName matches a host name with at least one dot, in lower case.
var hostName = lazyregexp.New(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$`)

// Limits of a request to a vendor.
const (
	vendorTime = 20 * time.Second
	maxAnswer  = 1 << 20
)

// answer holds the members of the responses of OAuth endpoints.
type answer struct {
	Access  string          `json:"access_token"`
	Refresh string          `json:"refresh_token"`
	ID      string          `json:"id_token"`
	Scope   string          `json:"scope"`
	Expires lenientjson.Int `json:"expires_in"`
	// Resource is the address for requests with the token, if the vendor sends one.
	Resource string `json:"resource_url"`

	DeviceCode   string          `json:"device_code"`
	UserCode     string          `json:"user_code"`
	Address      string          `json:"verification_uri"`
	AddressToo   string          `json:"verification_url"`
	AddressWhole string          `json:"verification_uri_complete"`
	Interval     lenientjson.Int `json:"interval"`

	// These members belong to OpenAI's own device flow.
	DeviceID    string `json:"device_auth_id"`
	UserCodeToo string `json:"usercode"`
	Code        string `json:"authorization_code"`
	Verifier    string `json:"code_verifier"`
}

// vendorError is returned if a vendor refuses a request. code is the OAuth error code, or "".
type vendorError struct {
	shown *llm.Error
	code  string
}

func (e *vendorError) Error() string { return e.shown.Error() }

// Unwrap returns the error in the form shown to the user.
func (e *vendorError) Unwrap() error { return e.shown }

// isCode reports whether a vendor refused with an OAuth error code.
func isCode(err error, code string) bool {
	refused, is := errors.AsType[*vendorError](err)
	return is && refused.code == code
}

// caller sends the requests of a login.
type caller struct {
	account Account
	client  *http.Client
}

func newCaller(a Account, transport http.RoundTripper) caller {
	return caller{a, reachlog.NewClient(transport, reachlog.NoRedirect)}
}

// post sends a form, and returns the answer.
func (c caller) post(ctx context.Context, address string, form url.Values) (a answer, err error) {
	err = c.ask(ctx, http.MethodPost, address, map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, form.Encode(), &a)
	return a, err
}

// ask sends a request, and decodes the answer. The error is a *vendorError if the vendor refuses. A
// redirect counts as a refusal.
func (c caller) ask(ctx context.Context, method, address string, headers map[string]string, body string, into any) error {
	limited, cancel := context.WithTimeout(ctx, vendorTime)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, method, address, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "agent")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	var text []byte
	response, err := c.client.Do(request)
	if err == nil {
		defer func() { _ = response.Body.Close() }()
		text, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return c.silentError(err)
	}
	if err := c.refusalIn(response.StatusCode, text); err != nil {
		return err
	}
	if json.Unmarshal(text, into) != nil {
		return tokenError("", "%s returned no JSON object", c.account.Title)
	}
	return nil
}

// refusalIn returns the refusal in an answer, or nil.
func (c caller) refusalIn(status int, text []byte) error {
	said := lenientjson.Decode[struct {
		Error       json.RawMessage `json:"error"`
		Description string          `json:"error_description"`
		Message     string          `json:"message"`
		Details     struct {
			Message string `json:"message"`
		} `json:"error_details"`
	}](text)
	code := lenientjson.Decode[string](said.Error)
	if status/100 == 2 && code == "" {
		return nil
	}
	within := lenientjson.Decode[struct {
		Message string `json:"message"`
	}](said.Error)
	says := ""
	for _, part := range []string{code, said.Description, said.Message, said.Details.Message, within.Message} {
		if part != "" {
			says += ": " + part
		}
	}
	e := tokenError("", "%s refused the request (%d)%s", c.account.Title, status, humanize.Line(says, 300))
	if e.Status = status; status >= http.StatusInternalServerError || status == http.StatusTooManyRequests {
		e.Kind, e.Final = llm.Unavailable, false
	}
	return &vendorError{e, code}
}

// silentError returns the error for a vendor that does not answer.
func (c caller) silentError(err error) *llm.Error {
	if whole, is := errors.AsType[*url.Error](err); is {
		err = whole.Err
	}
	says := humanize.Line(err.Error(), 200)
	if slow, is := errors.AsType[net.Error](err); is && slow.Timeout() {
		says = "timed out after " + vendorTime.String()
	}
	e := tokenError("", "no answer from %s: %s", c.account.Title, says)
	e.Kind, e.Final = llm.Unavailable, false
	return e
}

// login returns a new login with the tokens of an answer. It keeps the other data of before.
func (c caller) login(before Login, a answer, now time.Time) (Login, error) {
	if a.Access == "" || checkKey(a.Access) != nil {
		return before, tokenError("", "%s returned no usable token", c.account.Title)
	}
	l := before
	l.Access, l.Expires, l.Renew = a.Access, time.Time{}, time.Time{}
	if a.Refresh != "" && checkKey(a.Refresh) == nil {
		l.Refresh = a.Refresh
	}
	if seconds := a.Expires.NonNegative(); seconds > 0 {
		life := time.Duration(seconds) * time.Second
		l.Expires, l.Renew = now.Add(life), now.Add(max(life-sooner, life/2))
	}
	if a.Scope != "" {
		l.Scope = humanize.Line(a.Scope, 300)
	}
	if base := c.base(a.Resource); base != "" {
		l.Base = base
	}
	claims := claimsOf(a.ID)
	for _, name := range []string{"email", "preferred_username", "name"} {
		if text, is := claims[name].(string); is && text != "" {
			l.Name = humanize.Line(text, 80)
			break
		}
	}
	if c.account.claims != nil && claims != nil {
		l.Headers = c.account.claims(claims)
	}
	return l, nil
}

// base returns the address for requests that a vendor sends. It returns "" if it is not an address of
// the vendor.
func (c caller) base(address string) string {
	if address == "" {
		return ""
	}
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "https" && !isLoopback(at.Hostname()) || !c.account.trustsHost(at.Host) {
		return ""
	}
	return at.Scheme + "://" + at.Host
}

// claimsOf returns the claims of an ID token. It does not check the signature, because the token came
// directly from the vendor.
func claimsOf(token string) map[string]any {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return nil
	}
	var claims map[string]any
	_ = json.Unmarshal(text, &claims) // without claims, the account has no name
	return claims
}
