package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agent/internal/extend/mcp"
)

// authority is a server that requires a login, together with its authorization server.
type authority struct {
	*httptest.Server
	good      atomic.Value // the valid token
	refreshes atomic.Int32
	issued    atomic.Int32
	seen      sync.Map // the requests to the authorization server, by path
	brief     bool
}

func newAuthority(t *testing.T) *authority {
	a := &authority{}
	a.good.Store("")
	hub := streamable(newOracle(), &sdk.StreamableHTTPOptions{Stateless: true})
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer "+a.good.Load().(string) {
			hub.ServeHTTP(w, r)
			return
		}
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+a.URL+`/.well-known/oauth-protected-resource/mcp", scope="all"`)
		w.WriteHeader(http.StatusUnauthorized)
	})
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"resource": a.URL + "/mcp", "authorization_servers": []string{a.URL}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{
			"issuer": a.URL, "authorization_endpoint": a.URL + "/authorize", "token_endpoint": a.URL + "/token", "registration_endpoint": a.URL + "/register",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}, "scopes_supported": []string{"offline_access"},
		})
	})
	mux.HandleFunc("/register", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a.seen.Store("/register", string(body))
		w.WriteHeader(http.StatusCreated)
		answer(w, map[string]any{"client_id": "registered", "token_endpoint_auth_method": "none"})
	})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		a.seen.Store("/authorize", q)
		back := url.Values{"code": {"c"}, "state": {q.Get("state")}}
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("grant_type") == "refresh_token" {
			if r.FormValue("refresh_token") != "r" {
				w.WriteHeader(http.StatusBadRequest)
				answer(w, map[string]any{"error": "invalid_grant"})
				return
			}
			a.refreshes.Add(1)
		}
		token := fmt.Sprintf("t%d", a.issued.Add(1))
		a.good.Store(token)
		life := 3600
		if a.brief {
			life = 1 // expired at once, because a token is not used in its last seconds
		}
		answer(w, map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": life, "refresh_token": "r"})
	})
	a.Server = serve(t, mux)
	return a
}

// rewrite changes the texts and headers of the answers.
func (a *authority) rewrite(change func(string) string) {
	good := a.Config.Handler
	a.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		good.ServeHTTP(&rewriter{ResponseWriter: w, change: change}, r)
	})
}

// rewriter changes an answer while it is written, because answers are streams.
type rewriter struct {
	http.ResponseWriter
	change func(string) string
}

func (w *rewriter) WriteHeader(status int) {
	for name, values := range w.Header() {
		w.Header().Set(name, w.change(values[0]))
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *rewriter) Write(text []byte) (int, error) {
	_, err := io.WriteString(w.ResponseWriter, w.change(string(text)))
	return len(text), err
}

// Unwrap lets the handlers flush the answer.
func (w *rewriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *rewriter) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// vault stores secrets for a test.
type vault struct{ kept sync.Map }

func (v *vault) Get(place string) string {
	secret, _ := v.kept.Load(place)
	text, _ := secret.(string)
	return text
}

func (v *vault) Set(place, secret string) error {
	v.kept.Store(place, secret)
	return nil
}

func (v *vault) Delete(place string) (bool, error) {
	_, was := v.kept.LoadAndDelete(place)
	return was, nil
}

// browser returns the browser of a user who agrees.
func browser(t *testing.T) mcp.Opener {
	client := &http.Client{Transport: freshTransport(t)}
	return func(_ context.Context, address string) (string, error) {
		response, err := client.Get(address)
		if err != nil {
			return "", err
		}
		return "", response.Body.Close()
	}
}

// A login is stored, used by later runs, refreshed once by concurrent runs, and removed.
func TestLogin(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	keys := &vault{}
	logins := &mcp.Logins{Keys: keys, Folder: t.TempDir()}
	host := mcp.Host{Transport: freshTransport(t), Logins: logins}
	server := mcp.Server{Name: "hub", URL: a.URL + "/mcp"}

	_, err := mcp.Connect(context.Background(), server, host)
	wants(t, err, "hub needs a login. Run: agent mcp login hub")
	if err := logins.Login(context.Background(), server, host, browser(t)); err != nil {
		t.Fatal(err)
	}
	registered, _ := a.seen.Load("/register")
	if !strings.Contains(registered.(string), `"http://127.0.0.1:`) || !strings.Contains(registered.(string), `"refresh_token"`) {
		t.Errorf("registered is %s", registered)
	}
	asked, _ := a.seen.Load("/authorize")
	if q := asked.(url.Values); q.Get("code_challenge_method") != "S256" || q.Get("resource") != a.URL+"/mcp" || !strings.Contains(q.Get("scope"), "offline_access") {
		t.Errorf("asked for is %v", q)
	}
	keys.kept.Range(func(place, secret any) bool {
		if strings.ContainsAny(place.(string)+secret.(string), " \n/") {
			t.Errorf("kept is %q at %q", secret, place)
		}
		return true
	})
	client, err := mcp.Connect(context.Background(), server, host)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if got := call(t, client, "echo", `{"text":"x"}`); got != "x" {
		t.Errorf("echo answers %q", got)
	}

	a.good.Store("another") // the token was revoked
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			c, err := mcp.Connect(context.Background(), server, mcp.Host{Transport: host.Transport, Logins: &mcp.Logins{Keys: keys, Folder: logins.Folder}})
			if err != nil {
				t.Error(err)
				return
			}
			c.Close()
		})
	}
	all.Wait()
	if n := a.refreshes.Load(); n != 1 {
		t.Errorf("the login was refreshed %d times by four at once", n)
	}
	if was, err := logins.Logout(server); !was || err != nil {
		t.Errorf("forgotten: %v, %v", was, err)
	}
	_, err = mcp.Connect(context.Background(), server, host)
	wants(t, err, "hub needs a login")
}

// A login that can't be refreshed requires a new login.
func TestLoginIsOver(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	a.brief = true
	logins := &mcp.Logins{Keys: &vault{}, Folder: t.TempDir()}
	host := mcp.Host{Transport: freshTransport(t), Logins: logins}
	server := mcp.Server{Name: "hub", URL: a.URL + "/mcp", OAuth: mcp.OAuth{ClientID: "given", ClientSecret: "s", Scopes: []string{"read"}}}
	if err := logins.Login(context.Background(), server, host, browser(t)); err != nil {
		t.Fatal(err)
	}
	asked, _ := a.seen.Load("/authorize")
	if q := asked.(url.Values); q.Get("client_id") != "given" || !strings.Contains(q.Get("scope"), "read") || strings.Contains(q.Get("scope"), "all") {
		t.Errorf("asked for is %v", q)
	}
	if _, registered := a.seen.Load("/register"); registered {
		t.Error("a client that is known was registered")
	}
	a.CloseClientConnections()
	a.Close()
	_, err := mcp.Connect(context.Background(), server, host)
	wants(t, err, "can't refresh the login of hub") // there is no user; another login would not help
}

// If an authorization server redirects a request with a code or a refresh token, the program does
// not follow. This is true for other ports and every kind of redirect.
func TestLoginStaysWithItsAuthority(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			elsewhere := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				t.Errorf("another place was asked: %s %q, Authorization %q", r.Method, body, r.Header.Get("Authorization"))
			}))
			a := newAuthority(t)
			a.brief = true
			logins := &mcp.Logins{Keys: &vault{}, Folder: t.TempDir()}
			host := mcp.Host{Transport: freshTransport(t), Logins: logins}
			server := mcp.Server{Name: "hub", URL: a.URL + "/mcp", OAuth: mcp.OAuth{ClientID: "given", ClientSecret: "s"}}
			if err := logins.Login(context.Background(), server, host, browser(t)); err != nil {
				t.Fatal(err)
			}
			good := a.Config.Handler
			a.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/token" {
					http.Redirect(w, r, elsewhere.URL+"/token", status)
					return
				}
				good.ServeHTTP(w, r)
			})
			_, err := mcp.Connect(context.Background(), server, host) // the token has expired, so it is refreshed
			wants(t, err, "can't refresh the login of hub", "no secrets are sent there")
			_, _ = logins.Logout(server)
			if err := logins.Login(context.Background(), server, host, browser(t)); err == nil {
				t.Error("the login succeeded")
			}
		})
	}
}

// A server chooses its authorization server. A login sends no request to a forbidden host, neither
// to discover the authorization server nor to refresh a token. It opens only web pages.
func TestLoginKeepsToAllowedHosts(t *testing.T) {
	t.Parallel()
	forbidden := errors.New("the policy leaves it out")
	elsewhere := func(t *testing.T) string {
		return serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("asked was %s", r.URL) })).URL
	}
	only := func(host string) error {
		if host == "127.0.0.1" {
			return nil
		}
		return forbidden
	}
	for name, from := range map[string]string{"the server": "/.well-known/oauth-protected-resource", "the authority": `"]`, "registration": "/register", "token": "/token"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := strings.Replace(elsewhere(t), "127.0.0.1", "localhost", 1)
			a := newAuthority(t)
			a.rewrite(func(text string) string { return strings.Replace(text, a.URL+from, other+from, 1) })
			logins := &mcp.Logins{Keys: &vault{}, Folder: t.TempDir(), Allowed: only}
			err := logins.Login(context.Background(), mcp.Server{Name: "hub", URL: a.URL + "/mcp"}, mcp.Host{Transport: freshTransport(t)}, browser(t))
			if err == nil && name != "the server" { // a login needs no metadata of the server
				t.Error("the login succeeded")
			}
		})
	}
	a := newAuthority(t)
	a.brief = true
	logins := &mcp.Logins{Keys: &vault{}, Folder: t.TempDir(), Allowed: only}
	host, server := mcp.Host{Transport: freshTransport(t), Logins: logins}, mcp.Server{Name: "hub", URL: a.URL + "/mcp"}
	if err := logins.Login(context.Background(), server, host, browser(t)); err != nil {
		t.Fatal(err)
	}
	logins.Allowed = func(string) error { return forbidden }
	_, err := mcp.Connect(context.Background(), server, host)
	wants(t, err, forbidden.Error())
}

func TestLoginOpensOnlyPages(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"file", "vscode", "ssh", "x-apple.systempreferences"} {
		a := newAuthority(t)
		a.rewrite(func(text string) string {
			return strings.Replace(text, a.URL+"/authorize", scheme+"://localhost/run", 1)
		})
		logins := &mcp.Logins{Keys: &vault{}, Folder: t.TempDir()}
		err := logins.Login(context.Background(), mcp.Server{Name: "hub", URL: a.URL + "/mcp"}, mcp.Host{Transport: freshTransport(t)}, func(_ context.Context, address string) (string, error) {
			t.Errorf("opened is %s", address)
			return "", errors.New("no")
		})
		wants(t, err, "not http or https")
	}
}

// A user may paste the final address of the browser, or refuse.
func TestLoginByHand(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	logins := &mcp.Logins{Keys: &vault{}, Folder: t.TempDir()}
	host := mcp.Host{Transport: freshTransport(t), Logins: logins}
	server := mcp.Server{Name: "hub", URL: a.URL + "/mcp"}
	elsewhere := &http.Client{Transport: freshTransport(t), CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	paste := func(_ context.Context, address string) (string, error) {
		response, err := elsewhere.Get(address)
		if err != nil {
			return "", err
		}
		return response.Header.Get("Location") + "\n", response.Body.Close()
	}
	if err := logins.Login(context.Background(), server, host, paste); err != nil {
		t.Error(err)
	}
	_, _ = logins.Logout(server)
	for _, tt := range []struct{ pasted, say string }{
		{"https://example.com/", "has no parameter state"},
		{"http://127.0.0.1/callback?state=forged&code=x", "state mismatch"},
		{"http://127.0.0.1/callback?state=x&error=access_denied&error_description=no", "the login was refused: access_denied no"},
	} {
		times := 0
		err := logins.Login(context.Background(), server, host, func(context.Context, string) (string, error) {
			times++
			return tt.pasted, nil
		})
		wants(t, err, tt.say)
		if times != 1 {
			t.Errorf("the person was led there %d times", times)
		}
	}
	gone := errors.New("no browser here")
	err := logins.Login(context.Background(), server, host, func(context.Context, string) (string, error) { return "", gone })
	wants(t, err, gone.Error())
	open := serve(t, streamable(newOracle(), &sdk.StreamableHTTPOptions{Stateless: true}))
	err = logins.Login(context.Background(), mcp.Server{Name: "hub", URL: open.URL}, host, paste)
	wants(t, err, "hub needs no login")
	err = logins.Login(context.Background(), mcp.Server{Name: "hub", URL: open.URL, Headers: map[string]string{"Authorization": "x"}}, host, paste)
	wants(t, err, "hub needs no login: it is a program")
}

// A login may take longer than the probe for the new protocol.
func TestLoginTakesItsTime(t *testing.T) {
	SetShortProbe(t)
	a := newAuthority(t)
	logins := &mcp.Logins{Keys: &vault{}, Folder: t.TempDir()}
	agree := browser(t)
	slow := func(ctx context.Context, address string) (string, error) {
		time.Sleep(300 * time.Millisecond)
		return agree(ctx, address)
	}
	server := mcp.Server{Name: "hub", URL: a.URL + "/mcp"}
	if err := logins.Login(context.Background(), server, mcp.Host{Transport: freshTransport(t)}, slow); err != nil {
		t.Error(err)
	}
}
