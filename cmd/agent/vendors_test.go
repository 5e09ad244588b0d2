package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A play has the answers of a vendor to a login and to later requests, and the expected outcome.
type play struct {
	name string
	// login has the arguments of agent login. It is "" if the user starts with a stored login that
	// has expired.
	login string
	// browse is the browser of a user. It gets an address and returns the text that the user
	// pastingUser.
	browse func(t *testing.T, address *url.URL) (pasted string)
	// hosts are lines for playHosts, before the usual ones.
	hosts string
	// refused is the error of the login, or "" if it succeeds.
	refused string
	// says is the error of a later request, or "" if it gets a reply.
	says string
	// down is set if the failure is temporary, so that a new login does not help.
	down bool
	// slow is set if the play takes more than five seconds. Only whole runs include it.
	slow bool
}

const (
	deviceCodes = `auth.kimi.com/api/oauth/device_authorization 200 {"device_code":"dev","user_code":"K-1","verification_uri":"https://www.kimi.com/code","interval":1,"expires_in":900}`
	kimiToken   = "auth.kimi.com/api/oauth/token "
	kimiTokens  = kimiToken + `200 {"access_token":"` + mark + `-access","refresh_token":"` + mark + `-refresh","expires_in":3600}`
	kimiModels  = `api.kimi.com/coding/v1/models 200 {"data":[{"id":"m"}]}`
	kimiReply   = `api.kimi.com/coding/v1/chat/completions 200 data: {"choices":[{"index":0,"delta":{"content":"hello from kimi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`
	gptToken    = "auth.openai.com/oauth/token "
	gptTokens   = gptToken + `200 {"access_token":"` + mark + `-access","refresh_token":"` + mark + `-refresh","expires_in":3600}`
	gptModels   = `chatgpt.com/backend-api/codex/models 200 {"models":[{"slug":"m"}]}`
	gptReply    = `chatgpt.com/backend-api/codex/responses 200 data: {"type":"response.output_text.delta","output_index":0,"delta":"hello from gpt"}\n\ndata: {"type":"response.completed","response":{"status":"completed","output":[]}}\n\n`
	gptCodes    = `auth.openai.com/api/accounts/deviceauth/usercode 200 {"device_auth_id":"dev","user_code":"G-1","interval":"1"}`
	gptAgreed   = "auth.openai.com/api/accounts/deviceauth/token 200 {\"authorization_code\":\"good\",\"code_verifier\":\"v\"}"

	// mark is part of every token. It must not appear anywhere else.
	mark    = "tokenmark7"
	byCode  = "kimi"
	browser = "chatgpt --paste"
	noLogin = "no login "
)

// plays returns the vendor answers of logins.md, "Done when" 1. It is a function because they are
// large: each process of this test binary would initialize a variable.
func plays() []play {
	return []play{
		{name: "at once", login: byCode, hosts: kimiTokens},
		{name: "pending", login: byCode, hosts: kimiToken + `400 {"error":"authorization_pending"}` + "\n" + kimiTokens},
		{name: "pending, as GitHub says it", login: byCode, hosts: kimiToken + `200 {"error":"authorization_pending"}` + "\n" + kimiTokens},
		{name: "slow down", slow: true, login: byCode, hosts: kimiToken + `400 {"error":"slow_down"}` + "\n" + kimiTokens},
		{name: "denied", login: byCode, hosts: kimiToken + `400 {"error":"access_denied","error_description":"no plan"}`, refused: "access_denied: no plan", says: noLogin},
		{name: "expired", login: byCode, hosts: kimiToken + `400 {"error":"expired_token"}`, refused: "expired_token", says: noLogin},
		{name: "lost, then there", slow: true, login: byCode, hosts: kimiToken + "lost\n" + kimiTokens},
		{name: "broken, then there", slow: true, login: byCode, hosts: kimiToken + "503 busy\n" + kimiTokens},
		{name: "no codes", login: byCode, hosts: "auth.kimi.com/api/oauth/device_authorization 200 {}", refused: "returned no login code", says: noLogin},
		{name: "codes lost", login: byCode, hosts: "auth.kimi.com/api/oauth/device_authorization lost", refused: "no answer from", says: noLogin},
		{name: "codes of HTML", login: byCode, hosts: "auth.kimi.com/api/oauth/device_authorization 200 <html>" + mark, refused: "no JSON object", says: noLogin},
		{name: "a page of plain http", login: byCode, hosts: strings.Replace(deviceCodes, "https://www", "http://www", 1), refused: "returned no login code", says: noLogin},
		{name: "wrong client id", login: byCode, hosts: `auth.kimi.com/api/oauth/device_authorization 401 {"error":"invalid_client","error_description":"unknown program"}`, refused: "invalid_client: unknown program", says: noLogin},
		{name: "a redirect of the codes", login: byCode, hosts: "auth.kimi.com/api/oauth/device_authorization 307 [Location: https://evil.example/code] {}", refused: "refused the request (307)", says: noLogin},
		{name: "a redirect of the token", login: byCode, hosts: kimiToken + "307 [Location: https://evil.example/token] {}", refused: "refused the request (307)", says: noLogin},
		{name: "a token with a line break", login: byCode, hosts: kimiToken + `200 {"access_token":"a\u000aX-Evil: b"}`, refused: "no usable token", says: noLogin},
		{name: "a token of 900 KB", login: byCode, hosts: kimiToken + `200 {"access_token":"` + strings.Repeat("x", 900_000) + `"}`, refused: "no usable token", says: noLogin},
		{name: "an answer of 2 MB", login: byCode, hosts: kimiToken + `200 {"access_token":"` + strings.Repeat("x", 2_000_000) + `"}`, refused: "no JSON object", says: noLogin},
		{name: "ends before it began", login: byCode, hosts: strings.Replace(kimiTokens, "3600", "-5", 1)},
		{name: "never ends", login: byCode, hosts: strings.Replace(kimiTokens, "3600", "99999999999999999999", 1)},
		{name: "ends in words", login: byCode, hosts: strings.Replace(kimiTokens, "3600", `"soon"`, 1)},
		{name: "without a subscription", login: byCode, hosts: kimiTokens + "\n" + `api.kimi.com/coding/v1/models 403 {"error":{"message":"no subscription"}}`, refused: "no subscription", says: noLogin},
		{name: "refused by the models", login: byCode, hosts: kimiTokens + "\n" + `api.kimi.com/coding/v1/models 401 {}`, refused: "was refused", says: noLogin},

		{name: "OpenAI's own codes", login: "chatgpt --device", hosts: gptAgreed},
		{name: "OpenAI's own codes, pending", login: "chatgpt --device", hosts: "auth.openai.com/api/accounts/deviceauth/token 403 {}\n" + gptAgreed},
		{name: "OpenAI's own codes, refused", login: "chatgpt --device", hosts: `auth.openai.com/api/accounts/deviceauth/token 400 {"error":{"message":"no"}}`, refused: "refused the request (400): no", says: noLogin},

		{name: "in a browser, pasted", login: browser, browse: pastingUser("code", "good")},
		{name: "wrong state", login: browser, browse: pastingUser("state", "forged"), refused: "is from another login attempt", says: noLogin},
		{name: "denied in the browser", login: browser, browse: pastingUser("error", "access_denied"), refused: "access_denied", says: noLogin},
		{name: "nothing pasted", login: browser, browse: func(*testing.T, *url.URL) string { return "" }, refused: "no address was pasted", says: noLogin},
		{name: "late", login: browser, browse: pastingUser("code", "good"), hosts: gptToken + `400 {"error":"invalid_grant","error_description":"code expired"}`, refused: "code expired", says: noLogin},
		{name: "500 in the end", login: browser, browse: pastingUser("code", "good"), hosts: gptToken + "500 {}", refused: "refused the request (500)", says: noLogin},
		{name: "returns to this machine", login: "chatgpt --browser", browse: returningBrowser("")},
		{name: "forged returns first", login: "chatgpt --browser", browse: returningBrowser("forged")},

		{name: "rotated", hosts: kimiTokens},
		{name: "not rotated", hosts: kimiToken + `200 {"access_token":"` + mark + `-access","expires_in":3600}`},
		{name: "reused", hosts: kimiToken + `400 {"error":"invalid_grant"}`, says: "the login kimi is no longer valid; log in again: agent login kimi"},
		{name: "400", hosts: kimiToken + `400 {"error":"invalid_request"}`, says: "invalid_request"},
		{name: "500", hosts: kimiToken + "500 {}", says: "Kimi refused the request (500)", down: true},
		{name: "silence", hosts: kimiToken + "hang", says: "no answer from Kimi: timed out after 20s", down: true, slow: true},
		{name: "a redirect of the refresh", hosts: kimiToken + "302 [Location: https://evil.example/token] {}", says: "Kimi refused the request (302)"},
		{name: "HTML", hosts: kimiToken + "200 <html>", says: "no JSON object"},
		{name: "refused once", hosts: kimiTokens + "\napi.kimi.com/coding/v1/chat/completions 401 {}"},
		{name: "refused for ever", hosts: kimiTokens + "\n" + kimiTokens + "\n" + kimiToken + `400 {"error":"invalid_grant"}` + "\napi.kimi.com/coding/v1/chat/completions 401 {}\napi.kimi.com/coding/v1/chat/completions 401 {}", says: "log"},
	}
}

// pastingUser returns a user who pastes an address with a parameter.
func pastingUser(name, value string) func(*testing.T, *url.URL) string {
	return func(t *testing.T, address *url.URL) string {
		back, err := url.Parse(address.Query().Get("redirect_uri"))
		if err != nil {
			t.Error(err)
			return ""
		}
		query := url.Values{"state": {address.Query().Get("state")}}
		query.Set(name, value)
		back.RawQuery = query.Encode()
		return back.String()
	}
}

// returningBrowser returns a browser that opens the address of the redirect by itself. If forged is set, a
// page that the user did not open first visits it with forged as its state.
func returningBrowser(forged string) func(*testing.T, *url.URL) string {
	return func(t *testing.T, address *url.URL) string {
		back := address.Query().Get("redirect_uri")
		visit := func(query url.Values, host string, want int) {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, back+"?"+query.Encode(), nil)
			if err != nil {
				t.Error(err)
				return
			}
			request.Host = host
			response, err := http.DefaultClient.Do(request)
			if err != nil || response.StatusCode != want {
				t.Errorf("%v of %s: %v, %v; want %d", query, host, response, err, want)
				return
			}
			_ = response.Body.Close()
		}
		state := address.Query().Get("state")
		if forged != "" {
			visit(url.Values{"state": {forged}, "code": {"evil"}}, "", http.StatusBadRequest)
			visit(url.Values{"code": {"evil"}}, "", http.StatusNotFound)
			visit(url.Values{"state": {state}, "code": {"evil"}}, "evil.example", http.StatusBadRequest)
			visit(url.Values{"state": {state}, "code": {"evil"}}, "localhost:1", http.StatusBadRequest)
		}
		visit(url.Values{"state": {state}, "code": {"good"}}, "", http.StatusOK)
		return ""
	}
}

// wholeRun reports whether every case of a table runs, as in "make properties".
func wholeRun() bool { return os.Getenv("CHECKS") != "" }

// TestVendors plays the answers of vendors (logins.md, "Done when" 1) against the whole program.
// Each play has the expected outcome on the command line, on the screen and in an editor. The
// program sends nothing to another host. Tokens appear only in the file of logins and in requests
// to their hosts.
func TestVendors(t *testing.T) {
	t.Parallel()
	names := []string{"-p", "screen", "editor"}
	for i, one := range plays() {
		if one.slow && !wholeRun() {
			continue
		}
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t, strings.Join([]string{one.hosts, deviceCodes, kimiModels, kimiReply, gptTokens, gptModels, gptReply, gptCodes}, "\n"))
			provider, want := one.logIn(t, p)
			tried := names
			if !wholeRun() {
				tried = names[i%3 : i%3+1]
			}
			for _, front := range tried {
				if one.login == "" {
					p.keepEnded(t)
				}
				args := []string{"--provider", provider, "-m", "m", "--set", "max-retries=0"}
				shown, wrong := fronts[front](p, want, one.says != "", one.down, args...)
				if wrong != "" || front != "screen" && !strings.Contains(shown, want) {
					t.Errorf("%s: %s; want %q in\n%s", front, wrong, want, shown)
				}
				p.leaks(t, front, shown)
			}
		})
	}
}

// logIn logs a user in. It returns the provider and the expected result of a later request.
func (one play) logIn(t *testing.T, p *personAt) (provider, want string) {
	provider = strings.Fields(one.login + " kimi")[0]
	want = map[string]string{"kimi": "hello from kimi", "chatgpt": "hello from gpt"}[provider]
	if one.says != "" {
		want = one.says
	}
	if one.login == "" {
		return provider, want
	}
	said, status := p.logIn(one.browse, append(strings.Fields(one.login), "--client-id", "own")...)
	if (status == exitOK) != (one.refused == "") || !strings.Contains(said, one.refused) || status == exitUsage {
		t.Errorf("agent login ends with %d; want %q:\n%s", status, one.refused, said)
	}
	if _, err := os.Stat(p.logins()); errors.Is(err, os.ErrNotExist) == (one.refused == "") {
		t.Errorf("what is kept: %v", err)
	}
	p.leaks(t, "login", said)
	return provider, want
}

// authorize matches the address that the program shows to a user.
var authorize = regexp.MustCompile(`https://auth\.openai\.com/oauth/authorize\S+`)

// logIn runs agent login for a user with a browser, or without one if browse is nil.
func (p *personAt) logIn(browse func(*testing.T, *url.URL) string, args ...string) (said string, status int) {
	p.t.Helper()
	if browse == nil {
		return p.run("", append([]string{"login"}, args...)...)
	}
	cmd := p.command(append([]string{"login"}, args...)...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	out, in, err := os.Pipe()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = in, in
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	_ = in.Close()
	defer out.Close()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		said += lines.Text() + "\n"
		if address, err := url.Parse(authorize.FindString(lines.Text())); err == nil && address.Host != "" {
			_, _ = io.WriteString(stdin, browse(p.t, address)+"\n")
			_ = stdin.Close()
		}
	}
	_ = cmd.Wait()
	return said, cmd.ProcessState.ExitCode()
}

// keepEnded stores a login whose token has expired.
func (p *personAt) keepEnded(t *testing.T) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.logins()), 0o700); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"kimi":{"account":"kimi","clientID":"own","access":"%s-old","refresh":"%s-refresh","expires":"2020-01-01T00:00:00Z"}}`, mark, mark)
	if err := os.WriteFile(p.logins(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// vendorHosts are the hosts that may receive tokens of the plays.
var vendorHosts = []string{"auth.kimi.com", "api.kimi.com", "auth.openai.com", "chatgpt.com"}

// leaks reports an error if the screen, a file, or a request to another host contains a token.
func (p *personAt) leaks(t *testing.T, front, shown string) {
	t.Helper()
	if strings.Contains(shown, mark) {
		t.Errorf("%s shows a token:\n%s", front, shown)
	}
	for _, r := range p.net.Asked() {
		if !slices.Contains(vendorHosts, r.Host) {
			t.Errorf("%s asks %s %s", front, r.Host, r.Path)
		}
	}
	err := filepath.WalkDir(p.home, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || path == p.logins() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), mark) {
			t.Errorf("%s leaves a token in %s", front, path)
		}
		return err
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
