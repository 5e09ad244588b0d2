package login

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"
)

// A script is a vendor with a list of answers for each path. It repeats the last answer. An answer
// begins with its status. The answer "silence" never arrives, and "lost" breaks the connection.
type script struct {
	mu      sync.Mutex
	answers map[string][]string
	asked   []string
	forms   []url.Values
	hosts   map[string]bool
}

func (s *script) RoundTrip(request *http.Request) (*http.Response, error) {
	form := url.Values{}
	if request.Body != nil {
		text, _ := io.ReadAll(request.Body)
		form, _ = url.ParseQuery(string(text))
	}
	s.mu.Lock()
	s.asked, s.forms = append(s.asked, request.URL.Path), append(s.forms, form)
	if s.hosts == nil {
		s.hosts = map[string]bool{}
	}
	s.hosts[request.URL.Host] = true
	list := s.answers[request.URL.Path]
	if len(list) > 1 {
		s.answers[request.URL.Path] = list[1:]
	}
	s.mu.Unlock()
	if len(list) == 0 {
		list = []string{"404 {}"}
	}
	var status int
	word, body, _ := strings.Cut(list[0], " ")
	switch word {
	case "silence":
		<-request.Context().Done()
		return nil, request.Context().Err()
	case "lost":
		return nil, errors.New("connection reset by peer")
	}
	if _, err := fmt.Sscan(word, &status); err != nil {
		return nil, err
	}
	header := http.Header{"Location": {"https://evil.example/"}}
	for rest := body; strings.HasPrefix(rest, "["); { // a header as [Name: value]
		line, after, _ := strings.Cut(rest[1:], "] ")
		name, value, _ := strings.Cut(line, ": ")
		header.Set(name, value)
		rest, body = after, after
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: request}, nil
}

func (s *script) count(path string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.asked {
		if p == path {
			n++
		}
	}
	return n
}

const (
	codes   = `200 {"device_code":"dev-1","user_code":"AB-12","verification_uri":"https://vendor.example/device","interval":5,"expires_in":600}`
	pending = `400 {"error":"authorization_pending"}`
	slow    = `400 {"error":"slow_down"}`
	tokens  = `200 {"access_token":"tok-1","refresh_token":"ref-1","expires_in":3600,"scope":"models"}`
)

var scripted = Account{
	Name: "scripted", Title: "Vendor", device: "https://vendor.example/code", authorize: "https://vendor.example/auth", token: "https://vendor.example/token",
	revoke: "https://vendor.example/revoke", proof: true, domains: []string{"api.vendor.example"},
}

// TestLogInByDevice lists the answers of a vendor to a login with a device code.
func TestLogInByDevice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		codes  string
		tokens []string
		says   string // a part of the error, or "" for a login
		after  time.Duration
	}{
		{"at once", codes, []string{tokens}, "", 5 * time.Second},
		{"pending", codes, []string{pending, pending, tokens}, "", 15 * time.Second},
		{"pending with 200", codes, []string{`200 {"error":"authorization_pending"}`, tokens}, "", 10 * time.Second},
		{"slow down", codes, []string{slow, tokens}, "", 15 * time.Second},
		{"slow down twice", codes, []string{slow, slow, tokens}, "", 30 * time.Second},
		{"its interval", strings.Replace(codes, `"interval":5`, `"interval":2`, 1), []string{pending, tokens}, "", 4 * time.Second},
		{"no interval", strings.Replace(codes, `"interval":5,`, ``, 1), []string{tokens}, "", 5 * time.Second},
		{"a mad interval", strings.Replace(codes, `"interval":5`, `"interval":99999`, 1), []string{tokens}, "", time.Minute},
		{"lost, then there", codes, []string{"lost", tokens}, "", 15 * time.Second},
		{"silent, then there", codes, []string{"silence", tokens}, "", 35 * time.Second},
		{"broken, then there", codes, []string{"503 busy", tokens}, "", 15 * time.Second},
		{"limited, then there", codes, []string{"429 {}", tokens}, "", 15 * time.Second},
		{"denied", codes, []string{pending, `400 {"error":"access_denied","error_description":"no \u001b[2J"}`}, "refused the request (400): access_denied: no ␛[2J", 10 * time.Second},
		{"expired", codes, []string{`400 {"error":"expired_token"}`}, "expired_token", 5 * time.Second},
		{"its end", codes, []string{pending}, "the login code of Vendor has expired", 600 * time.Second},
		{"nobody", strings.Replace(codes, `"expires_in":600`, `"expires_in":9000`, 1), []string{pending}, "the login to Vendor timed out after 15m0s", 900 * time.Second},
		{"wrong client", codes, []string{`401 {"error":"invalid_client"}`}, "invalid_client", 5 * time.Second},
		{"no JSON", codes, []string{"200 <html>"}, "no JSON object", 5 * time.Second},
		{"a redirect", codes, []string{"302 "}, "refused the request (302)", 5 * time.Second},
		{"no token that can be one", codes, []string{`200 {"access_token":"a b"}`}, "no usable token", 5 * time.Second},
		{"no codes", "200 {}", nil, "returned no login code", 0},
		{"codes of http", strings.Replace(codes, "https:", "http:", 1), nil, "returned no login code", 0},
		{"client refused", `403 {"error":"unauthorized_client","error_description":"unknown program"}`, nil, "unauthorized_client: unknown program", 0},
		{"codes lost", "lost", nil, "no answer from Vendor: connection reset", 0},
		{"codes silent", "silence", nil, "timed out after 20s", 20 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			vendor := &script{answers: map[string][]string{"/code": {tt.codes}, "/token": tt.tokens}}
			began, shown := time.Now(), ""
			l, err := scripted.Login(t.Context(), vendor, "id-1", Prompter{Device: true, Now: time.Now, Show: func(_ context.Context, address, code string) error {
				shown = address + " " + code
				return nil
			}})
			if got := fmt.Sprint(err); (err == nil) != (tt.says == "") || !strings.Contains(got, tt.says) || time.Since(began) != tt.after {
				t.Errorf("%s: %v after %s", tt.name, err, time.Since(began))
			}
			if tt.says == "" && (l.Access != "tok-1" || l.Refresh != "ref-1" || l.Scope != "models" || !l.Expires.Equal(time.Now().Add(time.Hour)) || shown != "https://vendor.example/device AB-12") {
				t.Errorf("%s: %+v, shown %s", tt.name, l, shown)
			}
			if len(vendor.hosts) != 1 || !vendor.hosts["vendor.example"] {
				t.Errorf("%s: asked %v", tt.name, vendor.hosts)
			}
			for i, form := range vendor.forms {
				if form.Get("client_id") != "id-1" || vendor.asked[i] == "/token" && oauth2.S256ChallengeFromVerifier(form.Get("code_verifier")) != vendor.forms[0].Get("code_challenge") {
					t.Errorf("%s: %s was sent %v", tt.name, vendor.asked[i], form)
				}
			}
		})
	}
}

// TestLogInIsInterrupted checks that an interrupt ends a login at once.
func TestLogInIsInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, answer := range []string{pending, "silence"} {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(12*time.Second, cancel)
			began := time.Now()
			vendor := &script{answers: map[string][]string{"/code": {codes}, "/token": {answer}}}
			_, err := scripted.Login(ctx, vendor, "id", Prompter{Device: true, Now: time.Now, Show: func(context.Context, string, string) error { return nil }})
			if !errors.Is(err, context.Canceled) || time.Since(began) != 12*time.Second {
				t.Errorf("%s: %v after %s", answer, err, time.Since(began))
			}
		}
	})
}

// TestLogInInBrowser simulates a vendor whose login page opens in a browser.
func TestLogInInBrowser(t *testing.T) {
	t.Parallel()
	id := "h." + base64.RawURLEncoding.EncodeToString([]byte(`{"email":"me@a.example","https://api.openai.com/auth":{"chatgpt_account_id":"acc-1"}}`)) + ".s"
	whole := `200 {"access_token":"tok-1","refresh_token":"ref-1","expires_in":3600,"id_token":"` + id + `"}`
	account := scripted
	account.claims = chatGPTHeaders
	for _, tt := range []struct {
		name, tokens, says string
		more               string
	}{
		{"agreed to", whole, "", "&code=good"},
		{"no code", whole, "the login was refused", ""},
		{"denied", whole, "refused: access_denied", "&error=access_denied"},
		{"late", `400 {"error":"invalid_grant","error_description":"code expired"}`, "invalid_grant: code expired", "&code=good"},
		{"used twice", `400 {"error":"invalid_grant"}`, "invalid_grant", "&code=good"},
		{"500", "500 {}", "refused the request (500)", "&code=good"},
		{"lost", "lost", "no answer from Vendor", "&code=good"},
		{"a redirect", "307 ", "refused the request (307)", "&code=good"},
	} {
		vendor := &script{answers: map[string][]string{"/token": {tt.tokens}}}
		var challenge, returns string
		l, err := account.Login(t.Context(), vendor, "id-1", Prompter{Now: time.Now, Open: func(_ context.Context, address string) (string, error) {
			at, err := url.Parse(address)
			if err != nil {
				return "", err
			}
			q := at.Query()
			challenge, returns = q.Get("code_challenge"), q.Get("redirect_uri")
			if q.Get("client_id") != "id-1" || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || !strings.HasPrefix(returns, "http://127.0.0.1:") {
				t.Errorf("%s: %s", tt.name, address)
			}
			return returns + "?state=" + q.Get("state") + tt.more, nil
		}})
		if got := fmt.Sprint(err); (err == nil) != (tt.says == "") || !strings.Contains(got, tt.says) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if err == nil && (l.Name != "me@a.example" || l.Headers["ChatGPT-Account-Id"] != "acc-1" || l.Access != "tok-1") {
			t.Errorf("%s: %+v", tt.name, l)
		}
		for _, form := range vendor.forms {
			if form.Get("redirect_uri") != returns || oauth2.S256ChallengeFromVerifier(form.Get("code_verifier")) != challenge || form.Get("code") != "good" {
				t.Errorf("%s: sent %v", tt.name, form)
			}
		}
	}
	_, err := Account{Name: "v", Title: "V", authorize: "https://v"}.Login(t.Context(), nil, "id", Prompter{Device: true})
	if err == nil || !strings.Contains(err.Error(), "can't log in with a device code") {
		t.Error(err)
	}
}
