package login

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/oauth2"
)

// TestLogInForAKey simulates a vendor that creates API keys. The user approves, denies, or pastes
// the code, or the reply is forged.
func TestLogInForAKey(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		person func(t *testing.T, back *url.URL) (pasted string)
		status int
		answer string
		says   string // a part of the error, or "" if the login returns a key
	}{
		{"agreed to", func(t *testing.T, back *url.URL) string { visit(t, back, "", 200); return "" }, 200, `{"key":"key-of-the-account"}`, ""},
		{"pasted", func(_ *testing.T, back *url.URL) string { return back.String() + "&code=good" }, 200, `{"key":"key-of-the-account"}`, ""},
		{"forged first", func(t *testing.T, back *url.URL) string {
			forged := *back
			forged.RawQuery = "state=forged"
			visit(t, &forged, "", 400)
			visit(t, back, "evil.example", 400)
			visit(t, back, "", 200)
			return ""
		}, 200, `{"key":"key-of-the-account"}`, ""},
		{"pasted of another login", func(_ *testing.T, back *url.URL) string { return "http://127.0.0.1/callback?state=x&code=good" }, 200, ``, "is from another login attempt"},
		{"pasted nonsense", func(*testing.T, *url.URL) string { return "hello" }, 200, ``, "has no parameter state"},
		{"denied", func(_ *testing.T, back *url.URL) string {
			return back.String() + "&error=access_denied&error_description=no+%1b%5b2J"
		}, 200, ``, "the login was refused: access_denied no ␛[2J"},
		{"no code", func(_ *testing.T, back *url.URL) string { return back.String() }, 200, ``, "the login was refused"},
		{"refused", func(t *testing.T, back *url.URL) string { visit(t, back, "", 200); return "" }, 403, `{"error":{"message":"bad code"}}`, "refused the request (403): bad code"},
		{"a redirect", func(t *testing.T, back *url.URL) string { visit(t, back, "", 200); return "" }, 307, ``, "refused the request (307)"},
		{"no JSON", func(t *testing.T, back *url.URL) string { visit(t, back, "", 200); return "" }, 200, `<html>`, "no JSON object"},
		{"no key", func(t *testing.T, back *url.URL) string { visit(t, back, "", 200); return "" }, 200, `{"key":"a b\u001b"}`, "returned no API key"},
	} {
		challenge, asked := "", 0
		vendor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var said map[string]string
			body, _ := io.ReadAll(r.Body)
			asked++
			if err := json.Unmarshal(body, &said); err != nil || said["code"] != "good" || oauth2.S256ChallengeFromVerifier(said["code_verifier"]) != challenge {
				t.Errorf("%s: asked with %s", tt.name, body)
			}
			w.Header().Set("Location", "http://evil.example/")
			w.WriteHeader(tt.status)
			_, _ = io.WriteString(w, tt.answer)
		}))
		account := Account{Name: "v", Title: "Vendor", authorize: vendor.URL + "/auth", keys: vendor.URL + "/keys"}
		done := make(chan struct{})
		key, err := account.LoginForKey(t.Context(), http.DefaultTransport, Prompter{Open: func(_ context.Context, address string) (string, error) {
			defer close(done)
			at, err := url.Parse(address)
			if err != nil {
				t.Fatal(err)
			}
			challenge = at.Query().Get("code_challenge")
			back, err := url.Parse(at.Query().Get("callback_url"))
			if err != nil || back.Hostname() != "127.0.0.1" || at.Query().Get("code_challenge_method") != "S256" {
				t.Fatal(address, err)
			}
			return tt.person(t, back), nil
		}})
		<-done
		vendor.Close()
		switch {
		case tt.says == "" && (err != nil || key != "key-of-the-account" || asked != 1):
			t.Errorf("%s: %q, %v after %d requests", tt.name, string(key), err, asked)
		case tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says) || key != ""):
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// visit acts as a browser that is redirected with a code, with another Host header if host is set.
func visit(t *testing.T, back *url.URL, host string, status int) {
	t.Helper()
	at := *back
	at.RawQuery += "&code=good"
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at.String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = host
	response, err := http.DefaultClient.Do(request)
	if err != nil || response.StatusCode != status {
		t.Errorf("%s is answered with %v, %v", at.String(), response, err)
		return
	}
	_ = response.Body.Close()
}

// TestNoLogin checks that an account without login returns an error with its reason and an
// alternative. It asks the user nothing.
func TestNoLogin(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"claude", "anthropic", "chatgpt", "openai", "copilot", "gemini"} {
		account, known := AccountByName(name)
		_, err := account.Login(t.Context(), nil, "", Prompter{})
		var refused *NoLoginError
		if !known || !errors.As(err, &refused) || account.Instead == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
