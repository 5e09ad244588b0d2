package llm_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"agent/internal/llm"
)

// TestProxyFaults: what is wrong with a proxy is not told of the endpoint behind it.
func TestProxyFaults(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := listener.Addr().String()
	_ = listener.Close()
	answering := func(status int) string {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		t.Cleanup(web.Close)
		return strings.TrimPrefix(web.URL, "http://")
	}
	for name, tt := range map[string]struct {
		base, proxy string
		kind        llm.ErrorKind
		says        []string
	}{
		"dead, http":          {"http://api.example.com/v1", dead, llm.Unavailable, []string{"the proxy " + dead + " cannot be reached: connection refused", "NO_PROXY"}},
		"dead, https":         {"https://api.example.com/v1", dead, llm.Unavailable, []string{"the proxy " + dead + " cannot be reached: connection refused"}},
		"wants a login":       {"https://api.example.com/v1", answering(407), llm.Auth, []string{"wants a login", "http://USER:PASSWORD@HOST"}},
		"wants a login, http": {"http://api.example.com/v1", answering(407), llm.Auth, []string{"http://USER:PASSWORD@HOST"}},
		"fails":               {"https://api.example.com/v1", answering(502), llm.Unavailable, []string{"answered Bad Gateway"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			transport := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: tt.proxy})}
			t.Cleanup(transport.CloseIdleConnections)
			client := llm.NewClient(llm.ClientConfig{BaseURL: tt.base, Transport: transport, Retry: llm.RetryPolicy{Sleep: (&waits{}).sleep}})
			_, err := collect(t.Context(), client, ask("hi"))
			if got := failure(t, err); got.Kind != tt.kind {
				t.Errorf("kind %d", got.Kind)
			}
			for _, words := range tt.says {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("%q does not say %q", err, words)
				}
			}
			if strings.Contains(err.Error(), "start the server") {
				t.Error(err)
			}
		})
	}
}

// TestUnreadableProxy: a proxy that cannot be read is said, not passed by.
func TestUnreadableProxy(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://[garbage")
	client := llm.NewClient(llm.ClientConfig{BaseURL: "https://api.example.com/v1"})
	_, err := collect(t.Context(), client, ask("hi"))
	if got := failure(t, err); got.Attempts != 1 || !strings.Contains(err.Error(), "HTTPS_PROXY is not the address of a proxy") {
		t.Errorf("%v after %d attempts", err, got.Attempts)
	}
}
