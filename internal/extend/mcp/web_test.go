package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agent/internal/extend/mcp"
)

// newOracle returns a server of the library, with the given protocol versions.
func newOracle(versions ...string) *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "oracle", Version: "1"}, &sdk.ServerOptions{SupportedProtocolVersions: versions})
	type arguments struct {
		Text string `json:"text"`
	}
	sdk.AddTool(server, &sdk.Tool{Name: "echo"}, func(_ context.Context, _ *sdk.CallToolRequest, a arguments) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: a.Text}}}, nil, nil
	})
	return server
}

// serve serves until the end of the test, even if connections are open.
func serve(t *testing.T, handler http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server
}

func streamable(server *sdk.Server, options *sdk.StreamableHTTPOptions) http.Handler {
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, options)
}

// web connects to a server over HTTP.
func web(t *testing.T, s mcp.Server) (*mcp.Client, error) {
	t.Helper()
	s.Name = "hub"
	client, err := mcp.Connect(context.Background(), s, mcp.Host{Transport: freshTransport(t)})
	if err == nil {
		t.Cleanup(client.Close)
	}
	return client, err
}

// freshTransport returns a transport that shares no connections with other tests.
func freshTransport(t *testing.T) http.RoundTripper {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// TestWebServers covers both protocol versions, with and without sessions, in JSON and as streams,
// and the old transport on request.
func TestWebServers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, kind, known, protocol string
		handler                     http.Handler
	}{
		{"new", "", "", "2026-07-28", streamable(newOracle(), &sdk.StreamableHTTPOptions{Stateless: true})},
		{"new in JSON", "http", "", "2026-07-28", streamable(newOracle(), &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true})},
		{"old, with sessions", "", "", "2025-11-25", streamable(newOracle("2025-11-25"), nil)},
		{"old and known", "", "2025-06-18", "2025-11-25", streamable(newOracle("2025-11-25"), nil)},
		{"older", "", "", "2025-03-26", streamable(newOracle("2025-03-26"), nil)},
		{"SSE", "sse", "", "2025-11-25", sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return newOracle() }, nil)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client, err := web(t, mcp.Server{URL: serve(t, tt.handler).URL, Type: tt.kind, Protocol: tt.known})
			if err != nil {
				t.Fatal(err)
			}
			if got := client.Protocol(); got != tt.protocol {
				t.Errorf("the protocol is %s, want %s", got, tt.protocol)
			}
			if got := call(t, client, "echo", `{"text":"x"}`); got != "x" {
				t.Errorf("echo answers %q", got)
			}
		})
	}
}

// Numbers of a structured result keep all their digits in every form of an answer.
func TestWebNumbersAreExact(t *testing.T) {
	t.Parallel()
	server := newOracle()
	server.AddTool(&sdk.Tool{Name: "id", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{StructuredContent: json.RawMessage(`{"id":9007199254740993,"pad":"` + strings.Repeat("é", 50_000) + `"}`)}, nil
	})
	for name, handler := range map[string]http.Handler{
		"stream": streamable(server, &sdk.StreamableHTTPOptions{Stateless: true}),
		"JSON":   streamable(server, &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true}),
		"sse":    sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return server }, nil),
	} {
		kind := map[bool]string{true: "sse"}[name == "sse"]
		client, err := web(t, mcp.Server{URL: serve(t, handler).URL, Type: kind})
		if err != nil {
			t.Fatal(err)
		}
		result, err := client.Call(context.Background(), "id", nil, nil)
		if err != nil || !strings.HasPrefix(string(result.Structured), `{"id":9007199254740993,"pad":"é`) || len(result.Structured) < 100_000 {
			t.Errorf("%s: %.60s, %v", name, result.Structured, err)
		}
	}
}

// If a server never answers unknown requests, the client uses the old protocol after some time.
func TestWebServerThatHangsAtTheProbe(t *testing.T) {
	SetShortProbe(t)
	old := streamable(newOracle("2025-11-25"), nil)
	hub := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := peek(r)
		if strings.Contains(body, "server/discover") {
			<-r.Context().Done()
			return
		}
		old.ServeHTTP(w, r)
	}))
	client, err := web(t, mcp.Server{URL: hub.URL})
	if err != nil {
		t.Fatal(err)
	}
	if got := client.Protocol(); got != "2025-11-25" {
		t.Errorf("the protocol is %s", got)
	}
}

// peek returns the body of a request, which can still be read again.
func peek(r *http.Request) string {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	return string(body)
}

// A temporary failure during the start is retried, a refusal is not, and a call never is.
func TestWebTries(t *testing.T) {
	mcp.SetRetries(t, time.Millisecond, time.Millisecond)
	good := streamable(newOracle(), &sdk.StreamableHTTPOptions{Stateless: true})
	var seen, faults atomic.Int32
	status := http.StatusBadGateway
	hub := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Add(1)
		if faults.Add(-1) >= 0 {
			http.Error(w, "not now", status)
			return
		}
		good.ServeHTTP(w, r)
	}))
	faults.Store(2)
	client, err := web(t, mcp.Server{URL: hub.URL})
	if err != nil {
		t.Fatal(err)
	}
	faults.Store(1)
	seen.Store(0)
	_, err = client.Call(context.Background(), "echo", json.RawMessage(`{"text":"x"}`), nil)
	wants(t, err, "hub cannot answer: Bad Gateway; the call may have taken effect")
	if got := seen.Load(); got != 1 {
		t.Errorf("a call was made %d times", got)
	}
	if got := call(t, client, "echo", `{"text":"again"}`); got != "again" {
		t.Errorf("then echo answers %q", got)
	}
	faults.Store(1000)
	_, err = web(t, mcp.Server{URL: hub.URL})
	wants(t, err, "hub cannot be used", "Bad Gateway")
	status = http.StatusTeapot
	seen.Store(0)
	_, err = web(t, mcp.Server{URL: hub.URL})
	wants(t, err, "hub cannot be used", "teapot")
	if got := seen.Load(); got != 2 { // the probe and the handshake
		t.Errorf("a refusal was asked for %d times", got)
	}
	client.Close()
	hub.CloseClientConnections()
	hub.Close()
	_, err = web(t, mcp.Server{URL: hub.URL})
	wants(t, err, "hub cannot be used", "refused")
}

// The configured headers are sent with every request, and never to another host.
func TestWebHeaders(t *testing.T) {
	t.Parallel()
	good := streamable(newOracle(), &sdk.StreamableHTTPOptions{Stateless: true})
	var without atomic.Int32
	hub := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "k" {
			without.Add(1)
		}
		good.ServeHTTP(w, r)
	}))
	client, err := web(t, mcp.Server{URL: hub.URL, Headers: map[string]string{"X-Key": "k"}})
	if err != nil {
		t.Fatal(err)
	}
	call(t, client, "echo", `{"text":"x"}`)
	if n := without.Load(); n > 0 {
		t.Errorf("%d requests came without the header", n)
	}
	elsewhere := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host was asked") }))
	moved := serve(t, http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	_, err = web(t, mcp.Server{URL: moved.URL, Headers: map[string]string{"X-Key": "k"}})
	wants(t, err, "the server redirects to "+elsewhere.URL)

	// An SSE server sends the address for messages itself.
	guide := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "event: endpoint\ndata: %s/messages\n\n", elsewhere.URL)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	_, err = web(t, mcp.Server{URL: guide.URL, Type: "sse", Headers: map[string]string{"X-Key": "k"}})
	wants(t, err, "the server redirects to "+elsewhere.URL)
}

// A null in any list is ignored and does not crash the program.
func TestWebNulls(t *testing.T) {
	t.Parallel()
	results := map[string]string{
		"initialize":               `{"protocolVersion":"2025-11-25","serverInfo":null,"capabilities":{"tools":{},"prompts":{},"resources":{}}}`,
		"tools/list":               `{"tools":[null]}`,
		"prompts/list":             `{"prompts":[null,{"name":"p","arguments":[null,{"name":"a"}]}]}`,
		"resources/list":           `{"resources":[null]}`,
		"resources/templates/list": `{"resourceTemplates":[null]}`,
		"prompts/get":              `{"messages":[null]}`,
		"resources/read":           `{"contents":[null]}`,
		"tools/call":               `{"content":null}`,
	}
	hub := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		result, known := "", false
		if json.NewDecoder(r.Body).Decode(&m) == nil {
			result, known = results[m.Method]
		}
		if !known {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}))
	ctx := context.Background()
	client, err := web(t, mcp.Server{URL: hub.URL, Protocol: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	tools, err := client.Tools(ctx)
	prompts, err2 := client.Prompts(ctx)
	resources, err3 := client.Resources(ctx)
	if len(tools)+len(resources) > 0 || len(prompts) != 1 || len(prompts[0].Arguments) != 1 || errors.Join(err, err2, err3) != nil {
		t.Errorf("listed are %v, %v, %v, %v", tools, prompts, resources, errors.Join(err, err2, err3))
	}
	_, err = client.Prompt(ctx, "p", nil)
	_, err2 = client.Read(ctx, "x://y")
	_, err3 = client.Call(ctx, "t", nil, nil)
	t.Log(errors.Join(err, err2, err3)) // refused or empty, but no crash
}

// An endless answer is not read to its end.
func TestWebAnswerIsBounded(t *testing.T) {
	t.Parallel()
	good := streamable(newOracle(), &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	hub := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(peek(r), "tools/call") {
			good.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		part := strings.Repeat(" ", 1<<20)
		for range 40 {
			if _, err := io.WriteString(w, part); err != nil {
				return
			}
		}
	}))
	client, err := web(t, mcp.Server{URL: hub.URL})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Call(context.Background(), "echo", json.RawMessage(`{"text":"x"}`), nil)
	wants(t, err, "hub cannot answer", "longer than 16 MiB")
}

// A session that the server has forgotten is started again at the next use.
func TestWebSessionIsForgotten(t *testing.T) {
	mcp.SetPauses(t, time.Millisecond, time.Millisecond)
	var handler atomic.Value
	handler.Store(streamable(newOracle("2025-11-25"), nil))
	hub := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.Load().(http.Handler).ServeHTTP(w, r) }))
	set := mcp.NewSet([]mcp.Server{{Name: "hub", URL: hub.URL}}, mcp.Host{Transport: freshTransport(t)})
	defer set.Close()
	client, err := set.Client(context.Background(), "hub")
	if err != nil {
		t.Fatal(err)
	}
	handler.Store(streamable(newOracle("2025-11-25"), nil)) // it was restarted
	_, err = client.Call(context.Background(), "echo", json.RawMessage(`{"text":"x"}`), nil)
	wants(t, err, "hub no longer knows this session; the call had no effect")
	soon(t, "the connection is given up", func() bool {
		select {
		case <-client.Done():
			return true
		default:
			return false
		}
	})
	if client, err = set.Client(context.Background(), "hub"); err != nil {
		t.Fatal(err)
	}
	if got := call(t, client, "echo", `{"text":"x"}`); got != "x" {
		t.Errorf("then echo answers %q", got)
	}
}

// A server that accepts a connection but never answers is abandoned after the time limit of the
// start, or when the connection ends.
func TestWebServerThatHangs(t *testing.T) {
	t.Parallel()
	hub := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		peek(r)
		<-r.Context().Done()
	}))
	_, err := web(t, mcp.Server{URL: hub.URL, StartTimeout: 200 * time.Millisecond})
	wants(t, err, "hub did not list its tools within 200ms")
}

// Without a login, the error contains the command to log in, and no browser opens.
func TestWebWantsALogin(t *testing.T) {
	t.Parallel()
	hub := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		w.WriteHeader(http.StatusUnauthorized)
	}))
	_, err := web(t, mcp.Server{URL: hub.URL})
	var login *mcp.LoginError
	if fmt.Sprintf("%T", err) != fmt.Sprintf("%T", login) {
		t.Fatalf("the error is %v", err)
	}
	wants(t, err, "hub needs a login. Run: agent mcp login hub")
	_, err = web(t, mcp.Server{URL: hub.URL, Headers: map[string]string{"authorization": "Bearer old"}})
	wants(t, err, "hub cannot be used", "Unauthorized")
	_, err = web(t, mcp.Server{URL: "ftp://x"})
	wants(t, err, "not http or https")
}
