package openai_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/testing/require"
)

// TestProxyFaults checks that an error of a proxy is not reported as an error of the endpoint
// behind it.
func TestProxyFaults(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused := "connection refused"
	if !require.Unix {
		refused = "" // Windows has another message
	}
	dead := listener.Addr().String()
	_ = listener.Close()
	answering := func(status int) string {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		t.Cleanup(web.Close)
		return strings.TrimPrefix(web.URL, "http://")
	}
	saying := func(words string) string {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = listener.Close() })
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				_, _ = http.ReadRequest(bufio.NewReader(conn))
				_, _ = io.WriteString(conn, words)
				_ = conn.Close()
			}
		}()
		return listener.Addr().String()
	}
	page := saying("HTTP/1.1 403 Forbidden\r\nContent-Type: text/html\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>")
	closes, garbage := saying(""), saying("\x00\x01 garbage\r\n\r\n")
	for name, tt := range map[string]struct {
		base, proxy string
		kind        llm.ErrorKind
		says        []string
	}{
		"dead, http":             {"http://api.example.com/v1", dead, llm.Unavailable, []string{"the proxy " + dead + " is unreachable: " + refused, "NO_PROXY"}},
		"dead, https":            {"https://api.example.com/v1", dead, llm.Unavailable, []string{"the proxy " + dead + " is unreachable: " + refused}},
		"requires a login":       {"https://api.example.com/v1", answering(407), llm.Auth, []string{"requires a login", "http://USER:PASSWORD@HOST"}},
		"requires a login, http": {"http://api.example.com/v1", answering(407), llm.Auth, []string{"through the proxy", "set HTTP_PROXY to http://USER:PASSWORD@HOST:PORT"}},
		"answers a page, http":   {"http://api.example.com/v1", page, llm.Auth, []string{"through the proxy " + page}},
		"closes, http":           {"http://api.example.com/v1", closes, llm.Unavailable, []string{"through the proxy " + closes}},
		"closes, https":          {"https://api.example.com/v1", closes, llm.Truncated, []string{"through the proxy " + closes}},
		"speaks no HTTP, http":   {"http://api.example.com/v1", garbage, llm.Unavailable, []string{"the proxy " + garbage + " does not speak HTTP"}},
		"speaks no HTTP, https":  {"https://api.example.com/v1", garbage, llm.Unavailable, []string{"the proxy " + garbage + " does not speak HTTP"}},
		"forbids":                {"https://api.example.com/v1", answering(403), llm.Unavailable, []string{"answered Forbidden;", "check HTTPS_PROXY"}},
		"fails, http":            {"http://api.example.com/v1", answering(502), llm.Unavailable, []string{"(502) (through the proxy", "attempts"}},
		"fails":                  {"https://api.example.com/v1", answering(502), llm.Unavailable, []string{"answered Bad Gateway"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			transport := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: tt.proxy})}
			t.Cleanup(transport.CloseIdleConnections)
			client := openai.NewClient(openai.Config{BaseURL: tt.base, Transport: transport, Retry: llm.RetryPolicy{Sleep: (&waits{}).sleep}})
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

// TestUnreadableProxy checks that an invalid proxy address is reported, and not ignored.
func TestUnreadableProxy(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://[garbage")
	client := openai.NewClient(openai.Config{BaseURL: "https://api.example.com/v1"})
	_, err := collect(t.Context(), client, ask("hi"))
	if got := failure(t, err); got.Attempts != 1 || !strings.Contains(err.Error(), "HTTPS_PROXY does not contain a valid proxy address") {
		t.Errorf("%v after %d attempts", err, got.Attempts)
	}
}
