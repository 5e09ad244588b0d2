package login

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestLogInByCodes simulates OpenAI's device flow. It uses JSON instead of forms, and status 403 or
// 404 until the user has approved. It ends with an authorization code and its verifier.
func TestLogInByCodes(t *testing.T) {
	t.Parallel()
	const (
		codes  = `200 {"device_auth_id":"dev-1","user_code":"AB-12","interval":"5"}`
		agreed = `200 {"authorization_code":"good","code_challenge":"c","code_verifier":"v-1"}`
	)
	for _, tt := range []struct {
		name   string
		codes  string
		polls  []string
		tokens string
		says   string // a part of the error, or "" for a login
		after  time.Duration
	}{
		{"at once", codes, []string{agreed}, tokens, "", 5 * time.Second},
		{"pending", codes, []string{"403 {}", "404 <html>", agreed}, tokens, "", 15 * time.Second},
		{"the other spelling", strings.Replace(codes, "user_code", "usercode", 1), []string{agreed}, tokens, "", 5 * time.Second},
		{"an interval that is a number", strings.Replace(codes, `"5"`, "2", 1), []string{agreed}, tokens, "", 2 * time.Second},
		{"silent, then there", codes, []string{"silence", "429 {}", "500 {}", agreed}, tokens, "", 5*time.Second + 20*time.Second + (10+15+20)*time.Second},
		{"nobody", codes, []string{"403 {}"}, tokens, "the login to Vendor timed out after 15m0s", 15 * time.Minute},
		{"denied", codes, []string{`400 {"error":{"message":"denied"}}`}, tokens, "refused the request (400): denied", 5 * time.Second},
		{"no JSON", codes, []string{"200 <html>"}, tokens, "no JSON object", 5 * time.Second},
		{"not enabled", "404 {}", nil, tokens, "refused the request (404)", 0},
		{"client refused", `400 {"error":{"message":"unknown client"}}`, nil, tokens, "unknown client", 0},
		{"no code", `200 {"device_auth_id":"dev-1"}`, nil, tokens, "returned no login code", 0},
		{"the code has ended", codes, []string{agreed}, `400 {"error":"invalid_grant"}`, "invalid_grant", 5 * time.Second},
		{"a redirect", codes, []string{"302 "}, tokens, "refused the request (302)", 5 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			vendor := &script{answers: map[string][]string{"/code": {tt.codes}, "/poll": tt.polls, "/token": {tt.tokens}}}
			account := scripted
			account.codes = &codeFlow{page: "https://vendor.example/page", ask: "https://vendor.example/poll", returns: "https://vendor.example/back"}
			began, shown := time.Now(), ""
			l, err := account.Login(t.Context(), checked(t, vendor), "id-1", Prompter{Device: true, Now: time.Now, Show: func(_ context.Context, address, code string) error {
				shown = address + " " + code
				return nil
			}})
			if got := fmt.Sprint(err); (err == nil) != (tt.says == "") || !strings.Contains(got, tt.says) || time.Since(began) != tt.after {
				t.Errorf("%s: %v after %s", tt.name, err, time.Since(began))
			}
			if tt.says == "" && (l.Access != "tok-1" || l.Refresh != "ref-1" || shown != "https://vendor.example/page AB-12") {
				t.Errorf("%s: %+v, shown %s", tt.name, l, shown)
			}
			if i := len(vendor.forms) - 1; tt.says == "" && vendor.forms[i].Encode() != "client_id=id-1&code=good&code_verifier=v-1&grant_type=authorization_code&redirect_uri=https%3A%2F%2Fvendor.example%2Fback" {
				t.Errorf("%s: sent %v", tt.name, vendor.forms[i])
			}
		})
	}
}

// checked returns a transport that checks the JSON of a request before the vendor answers.
func checked(t *testing.T, vendor *script) transport {
	return func(request *http.Request) (*http.Response, error) {
		want := map[string]string{"/code": `{"client_id":"id-1"}`, "/poll": `{"device_auth_id":"dev-1","user_code":"AB-12"}`}[request.URL.Path]
		if want != "" {
			text, err := io.ReadAll(request.Body)
			if err != nil || string(text) != want || request.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s was sent %s, %v", request.URL.Path, text, request.Header)
			}
		}
		return vendor.RoundTrip(request)
	}
}
