package openai_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/testing/llmtest"
)

// TestServersWithoutStreamOptions checks that the field is omitted from all later requests if a
// server refuses it.
func TestServersWithoutStreamOptions(t *testing.T) {
	t.Parallel()
	refuse := llmtest.Fail(422, `{"detail":[{"loc":["body","stream_options"],"msg":"stream_options: Extra inputs are not permitted"}]}`)
	srv := llmtest.New(t, refuse, llmtest.Say("one").NoUsage(), llmtest.Say("two").NoUsage())
	client, waited := newClient(t, srv)
	for _, want := range []string{"one", "two"} {
		got, err := collect(t.Context(), client, ask("hi"))
		if diff := cmp.Diff([]llm.Chunk{llm.Text{Delta: want}, llm.Finish{Reason: "stop"}}, got); err != nil || diff != "" {
			t.Error(err, diff)
		}
	}
	for i, r := range srv.Requests() {
		if _, has := r.Fields["stream_options"]; has != (i == 0) {
			t.Errorf("request %d: stream_options %v", i, has)
		}
	}
	if len(waited.list) != 0 {
		t.Errorf("waited %v", waited.list)
	}
}

func TestRetryDelays(t *testing.T) {
	t.Parallel()
	rate := func(headers ...string) llmtest.Turn {
		return llmtest.Fail(429, `{"error":{"message":"slow"}}`, headers...)
	}
	says := func(words string) llmtest.Turn {
		return llmtest.Fail(429, `{"error":{"message":"`+words+`"}}`)
	}
	for name, tt := range map[string]struct {
		turns []llmtest.Turn
		want  []time.Duration
		fails string
	}{
		"backoff doubles, jitter adds half here": {
			[]llmtest.Turn{llmtest.HTML(502), rate(), llmtest.Drop(), llmtest.HTML(503), llmtest.Say("hi")},
			[]time.Duration{750 * time.Millisecond, 1500 * time.Millisecond, 3 * time.Second, 6 * time.Second},
			"",
		},
		"Retry-After in seconds":      {[]llmtest.Turn{rate("Retry-After", "7"), llmtest.Say("hi")}, []time.Duration{7 * time.Second}, ""},
		"Retry-After as a date":       {[]llmtest.Turn{rate("Retry-After", "Sat, 21 Nov 2026 12:00:09 GMT"), llmtest.Say("hi")}, []time.Duration{9 * time.Second}, ""},
		"Retry-After in milliseconds": {[]llmtest.Turn{rate("Retry-After-Ms", "1500", "Retry-After", "2"), llmtest.Say("hi")}, []time.Duration{1500 * time.Millisecond}, ""},
		"Retry-After with 503":        {[]llmtest.Turn{llmtest.Fail(503, "", "Retry-After", "3"), llmtest.Say("hi")}, []time.Duration{3 * time.Second}, ""},
		"Azure's milliseconds":        {[]llmtest.Turn{rate("X-Ms-Retry-After-Ms", "1500"), llmtest.Say("hi")}, []time.Duration{1500 * time.Millisecond}, ""},
		"OpenAI's words":              {[]llmtest.Turn{says("Rate limit reached. Please try again in 1m6.5s."), llmtest.Say("hi")}, []time.Duration{66500 * time.Millisecond}, ""},
		"milliseconds in words":       {[]llmtest.Turn{says("Please try again in 450ms. Need more?"), llmtest.Say("hi")}, []time.Duration{450 * time.Millisecond}, ""},
		"GitHub's words":              {[]llmtest.Turn{says("Please wait 56 seconds before retrying."), llmtest.Say("hi")}, []time.Duration{56 * time.Second}, ""},
		"words without a time":        {[]llmtest.Turn{says("Please try again in a while."), llmtest.Say("hi")}, []time.Duration{750 * time.Millisecond}, ""},
		"Google's quota of a minute": {
			[]llmtest.Turn{llmtest.Fail(429, `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"QuotaFailure"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"37s"}]}}]`), llmtest.Say("hi")},
			[]time.Duration{37 * time.Second},
			"",
		},
		"more in words than anybody waits for": {[]llmtest.Turn{says("Please try again in 1h12m.")}, nil, "the server asks you to wait 1h12m0s"},
		"a date that has passed":               {[]llmtest.Turn{rate("Retry-After", "Sat, 21 Nov 2026 11:00:00 GMT"), llmtest.Say("hi")}, []time.Duration{750 * time.Millisecond}, ""},
		"nonsense":                             {[]llmtest.Turn{rate("Retry-After", "soon"), llmtest.Say("hi")}, []time.Duration{750 * time.Millisecond}, ""},
		"negative":                             {[]llmtest.Turn{rate("Retry-After", "-5"), llmtest.Say("hi")}, []time.Duration{750 * time.Millisecond}, ""},
		"the longest wait":                     {[]llmtest.Turn{rate("Retry-After", "120"), llmtest.Say("hi")}, []time.Duration{2 * time.Minute}, ""},
		"more than anybody waits for":          {[]llmtest.Turn{rate("Retry-After", "3600")}, nil, "the server asks you to wait 1h0m0s"},
		"more than a duration holds":           {[]llmtest.Turn{rate("Retry-After", "1e300")}, nil, "the server asks you to wait 8760h0m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.New(t, tt.turns...)
			client, waited := newClient(t, srv)
			_, err := collect(t.Context(), client, ask("hi"))
			if diff := cmp.Diff(tt.want, waited.list); diff != "" {
				t.Error(diff)
			}
			if tt.fails == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if got := failure(t, err); got.Kind != llm.RateLimit || got.RetryAfter == 0 || !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestDelaysAreCapped checks that the waits, without their random part, grow to half a minute at
// most, and that the number of attempts is the configured one.
func TestDelaysAreCapped(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn { return llmtest.HTML(500) })
	client, waited := newClient(t, srv, func(c *openai.Config) { c.Retry.Jitter = func() float64 { return 1 } })
	req := ask("hi")
	req.Patience = nil
	_, err := collect(t.Context(), client, req)
	var want []time.Duration
	for _, s := range []int{1, 2, 4, 8, 16, 32, 60, 60} {
		want = append(want, time.Duration(s)*time.Second)
	}
	if diff := cmp.Diff(want, waited.list); diff != "" || failure(t, err).Attempts != 9 {
		t.Error(err, diff)
	}
}

// TestNoRetryAfterTheEnd checks that no request and no wait begins after ctx has ended. The error
// is the error of ctx.
func TestNoRetryAfterTheEnd(t *testing.T) {
	t.Parallel()
	tests := map[string]func(cancel context.CancelFunc) ([]llmtest.Turn, func(llm.Chunk)){
		"while waiting": func(cancel context.CancelFunc) ([]llmtest.Turn, func(llm.Chunk)) {
			return []llmtest.Turn{llmtest.HTML(502)}, func(c llm.Chunk) {
				if _, ok := c.(llm.RetryNotice); ok {
					cancel()
				}
			}
		},
		"while text comes": func(cancel context.CancelFunc) ([]llmtest.Turn, func(llm.Chunk)) {
			return []llmtest.Turn{llmtest.Say("hi").Hang()}, func(llm.Chunk) { cancel() }
		},
	}
	for name, prepare := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			turns, on := prepare(cancel)
			srv := llmtest.New(t, turns...)
			client, _ := newClient(t, srv)
			var last error
			for chunk, err := range client.Stream(ctx, ask("hi")) {
				if ended := ctx.Err() != nil; ended && err == nil {
					t.Errorf("%v after the end", chunk)
				}
				if last = err; err == nil {
					on(chunk)
				}
			}
			if !errors.Is(last, context.Canceled) || len(srv.Requests()) != 1 {
				t.Errorf("got %v after %d requests", last, len(srv.Requests()))
			}
		})
	}
}

func TestCancelledBeforeTheStart(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	srv := llmtest.New(t)
	client, _ := newClient(t, srv)
	if _, err := collect(ctx, client, ask("hi")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestLeavingEarly checks that the request is canceled at the server if the consumer stops, and
// that no more chunks follow. TestMain checks the goroutines.
func TestLeavingEarly(t *testing.T) {
	t.Parallel()
	for _, after := range []int{1, 2, 3} {
		srv := llmtest.New(t, llmtest.Say("a", "b", "c").Hang())
		client, _ := newClient(t, srv)
		got := 0
		for range client.Stream(t.Context(), ask("hi")) {
			if got++; got == after {
				break
			}
		}
		if got != after {
			t.Errorf("%d chunks, want %d", got, after)
		}
	}
}

// TestLeavingAtTheRetry checks that no second request follows if the consumer stops at the notice
// of a retry.
func TestLeavingAtTheRetry(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.HTML(502))
	client, waited := newClient(t, srv)
	for range client.Stream(t.Context(), ask("hi")) {
		break
	}
	if len(srv.Requests()) != 1 || len(waited.list) != 0 {
		t.Errorf("%d requests, waited %v", len(srv.Requests()), waited.list)
	}
}

// TestConnectionsAreKept checks that fifty requests, some with errors, use one connection. The
// connection is in memory and synctest controls the clock, because the end of a reply can be late
// on a busy machine.
func TestConnectionsAreKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dialed, requests := make(pipes), 0
		server := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			status, kind, body := http.StatusOK, "text/event-stream", textEvent+finishEvent+doneEvent
			switch requests++; {
			case r.URL.Path == "/v1/models":
				kind, body = "application/json", `{"object":"list","data":[{"id":"m"}]}`
			case requests%10 == 5:
				status, kind, body = http.StatusInternalServerError, "application/json", `{"error":{"message":"boom"}}`
			}
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
			_ = http.NewResponseController(w).Flush() // the body ends later
			time.Sleep(time.Millisecond)
		})}
		go func() { _ = server.Serve(dialed) }()
		dials := 0
		client := openai.NewClient(openai.Config{BaseURL: "http://host.example/v1", Transport: &http.Transport{
			DialContext: func(context.Context, string, string) (net.Conn, error) {
				dials++
				ours, theirs := net.Pipe()
				dialed <- theirs
				return ours, nil
			},
		}})
		if _, err := client.ListModels(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 45 {
			if _, err := collect(t.Context(), client, ask("hi")); err != nil {
				t.Fatal(err)
			}
		}
		client.Close()
		_ = server.Close()
		if dials != 1 || requests != 51 {
			t.Errorf("%d connections for %d requests", dials, requests)
		}
	})
}

// pipes is a listener that accepts the connections in a channel.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if conn, open := <-p; open {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{} }
