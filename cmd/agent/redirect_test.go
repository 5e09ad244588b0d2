package main

import (
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// redirector answers every request with a redirect to another server.
type redirector struct {
	mu       sync.Mutex
	status   int
	to       string
	requests []string
}

func (r *redirector) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, request.URL.Path)
	w.Header().Set("Location", r.to+request.URL.Path)
	if len(r.requests) < 20 {
		w.WriteHeader(r.status)
	}
}

// take returns the paths of the requests since the last call.
func (r *redirector) take() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := strings.Join(r.requests, " ")
	r.requests = nil
	return taken
}

func (r *redirector) send(status int, to string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status, r.to = status, to
}

// If an endpoint redirects, the program sends no request to the target. So the key and the headers
// of a profile do not leave the endpoint. The error names the target and the setting to change.
func TestNothingFollowsARedirect(t *testing.T) {
	t.Parallel()
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("the place that it redirects to got %s %s with %v", r.Method, r.URL, r.Header)
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(far.Close)
	plain, secure := &redirector{}, &redirector{}
	plainServer, secureServer := httptest.NewServer(plain), httptest.NewTLSServer(secure)
	t.Cleanup(plainServer.Close)
	t.Cleanup(secureServer.Close)

	home := t.TempDir()
	authority := filepath.Join(home, "authority.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secureServer.Certificate().Raw})
	if err := errors.Join(os.WriteFile(authority, certificate, 0o600), os.WriteFile(filepath.Join(home, "gate"), []byte(secret), 0o600)); err != nil {
		t.Fatal(err)
	}
	agent := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("agent", args...)
		cmd.Dir = home
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GORACE=" + noRaceSleep, "SSL_CERT_FILE=" + authority}
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	for name, base := range map[string]string{"plain": plainServer.URL, "secure": secureServer.URL} {
		agent("profile", "save", name, "-m", "m", "--set", "base-url="+base+"/v1", "--set", "auth-keyfile="+filepath.Join(home, "gate"), "--set", "header.X-Gate="+secret)
	}

	_, port, _ := strings.Cut(strings.TrimPrefix(far.URL, "http://"), ":")
	places := []string{far.URL, "http://localhost:" + port, ""}
	for run, status := range []int{301, 302, 303, 307, 308, 302} {
		place, profile := places[run/2], []string{"plain", "secure"}[run%2]
		server, base := plain, plainServer.URL
		if profile == "secure" {
			server, base = secure, secureServer.URL
		}
		command, path, advice := []string{"-p", "hi", "--set", "api=chat"}, "/v1/chat/completions", "set base-url to "+place+"/v1"
		switch run % 3 {
		case 0:
			command, path = []string{"-p", "hi", "--set", "api=responses"}, "/v1/responses"
		case 1:
			command, path = []string{"models"}, "/v1/models"
		}
		if place == "" { // the same host, as a relative address
			advice = "set base-url to " + base
		} else if profile == "secure" {
			advice = "agent sent nothing to " + place + path + ", because plain HTTP exposes the API key"
		}
		server.send(status, place)
		said := agent(append(command, "--profile", profile)...)
		if asked := server.take(); !strings.Contains(asked, path) || strings.Count(asked, path) > 2 {
			t.Errorf("%d to %q: the endpoint was asked for %q by %v:\n%s", status, place, asked, command, said)
		}
		if !strings.Contains(said, advice) || strings.Contains(said, secret) {
			t.Errorf("%d to %q from %s by %v: not said %q:\n%s", status, place, profile, command, advice, said)
		}
	}
}
