package openai_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/openai"
)

// slowServer answers in memory, so that synctest controls the clock. It waits before the headers,
// writes each part after its pause, and then sends nothing.
type slowServer struct {
	headers time.Duration
	parts   []part
	// closes ends the body after the last part. Otherwise the body stays open.
	closes   bool
	requests int
}

type part struct {
	after time.Duration
	text  string
}

func (s *slowServer) RoundTrip(r *http.Request) (*http.Response, error) {
	s.requests++
	select {
	case <-time.After(s.headers):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	reader, writer := io.Pipe()
	go func() {
		for _, p := range s.parts {
			select {
			case <-time.After(p.after):
			case <-r.Context().Done():
			}
			if _, err := io.WriteString(writer, p.text); err != nil || r.Context().Err() != nil {
				break
			}
		}
		if !s.closes {
			<-r.Context().Done()
			_ = writer.CloseWithError(r.Context().Err())
		}
		_ = writer.Close()
	}()
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: reader, Request: r}, nil
}

const (
	textEvent   = `data: {"choices":[{"index":0,"delta":{"content":"x"}}]}` + "\n\n"
	finishEvent = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	doneEvent   = "data: [DONE]\n\n"
	keepAlive   = ": keep-alive\n\n"
)

func repeat(n int, p part) []part {
	list := make([]part, n)
	for i := range list {
		list[i] = p
	}
	return list
}

// TestSilence checks that the timeout depends on the position in the reply. The defaults are 5
// minutes before the first event and 2 minutes after it.
func TestSilence(t *testing.T) {
	t.Parallel()
	complete := []part{{0, textEvent}, {0, finishEvent}, {0, doneEvent}}
	tests := []struct {
		name   string
		server slowServer
		// takes is the time until the reply or its failure. fails is a part of the error message.
		takes time.Duration
		fails string
	}{
		{"a local server reads the prompt for four minutes", slowServer{headers: 4 * time.Minute, parts: complete, closes: true}, 4 * time.Minute, ""},
		{"the same after the headers", slowServer{parts: append([]part{{4 * time.Minute, textEvent}}, complete...), closes: true}, 4 * time.Minute, ""},
		{"no headers ever", slowServer{headers: time.Hour}, 5 * time.Minute, "sent nothing for 5m0s"},
		{"headers and nothing else", slowServer{}, 5 * time.Minute, "sent nothing for 5m0s"},
		{"pauses under two minutes", slowServer{parts: append(repeat(30, part{119 * time.Second, textEvent}), complete...), closes: true}, 30 * 119 * time.Second, ""},
		{"silent within the reply", slowServer{parts: []part{{time.Second, textEvent}}}, time.Second + 2*time.Minute, "sent nothing for 2m0s"},
		{"keep-alives within the reply", slowServer{parts: append(append([]part{{0, textEvent}}, repeat(2, part{100 * time.Second, keepAlive})...), complete...), closes: true}, 200 * time.Second, ""},
		{"nothing but keep-alives", slowServer{parts: append([]part{{0, textEvent}}, repeat(1000, part{10 * time.Second, keepAlive})...)}, 10 * time.Minute, "sent only keep-alives for 10m0s"},
		{"silent after the finish reason", slowServer{parts: []part{{0, textEvent}, {0, finishEvent}}}, 5 * time.Second, ""},
		{"goes on after the finish reason", slowServer{parts: append([]part{{0, textEvent}, {0, finishEvent}}, append(repeat(3, part{4 * time.Second, textEvent}), part{4 * time.Second, doneEvent})...), closes: true}, 16 * time.Second, ""},
		{"keep-alives after the finish reason", slowServer{parts: append([]part{{0, textEvent}, {0, finishEvent}}, repeat(9, part{time.Second, keepAlive})...)}, 5 * time.Second, ""},
		{"open after [DONE]", slowServer{parts: complete}, 50 * time.Millisecond, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client := openai.NewClient(openai.Config{BaseURL: "http://host.example/v1", Transport: &tt.server})
				start := time.Now()
				req := ask("hi")
				req.Patience = &llm.Patience{First: 5 * time.Minute, Idle: 2 * time.Minute}
				chunks, err := collect(t.Context(), client, req)
				if took := time.Since(start); took != tt.takes {
					t.Errorf("took %s, want %s", took, tt.takes)
				}
				switch {
				case tt.fails != "":
					if got := failure(t, err); got.Kind != llm.Unavailable || !strings.Contains(err.Error(), tt.fails) {
						t.Errorf("got %v", err)
					}
				case err != nil || chunks[len(chunks)-1] != (llm.Finish{Reason: "stop"}):
					t.Errorf("got %v, %v", chunks, err)
				}
			})
		})
	}
}

// TestStallIsTriedAgain checks a retry after a stall, with the real wait between attempts.
func TestStallIsTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := &slowServer{parts: []part{{0, textEvent}}}
		client := openai.NewClient(openai.Config{BaseURL: "http://host.example/v1", Transport: server, Retry: llm.RetryPolicy{Jitter: func() float64 { return 1 }}})
		start := time.Now()
		req := ask("hi")
		req.Patience.Retries = 1
		chunks, err := collect(t.Context(), client, req)
		if failure(t, err).Attempts != 2 || server.requests != 2 {
			t.Errorf("%v after %d requests", err, server.requests)
		}
		if retrying, ok := chunks[1].(llm.RetryNotice); !ok || !retrying.Discard || retrying.Delay != time.Second {
			t.Errorf("got %v", chunks)
		}
		if took := time.Since(start); took != 2*2*time.Minute+time.Second {
			t.Errorf("took %s", took)
		}
	})
}

// TestKeepAlives checks that a model that thinks for six minutes receives one request, and that a
// model that never answers receives two.
func TestKeepAlives(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		keepAlives, requests int
		fails                bool
	}{
		"six minutes": {36, 1, false},
		"for ever":    {1000, 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server := &slowServer{parts: append(repeat(tc.keepAlives, part{10 * time.Second, keepAlive}), part{0, textEvent}, part{0, finishEvent}, part{0, doneEvent}), closes: true}
				client := openai.NewClient(openai.Config{BaseURL: "http://host.example/v1", Transport: server})
				req := ask("hi")
				req.Patience = nil
				_, err := collect(t.Context(), client, req)
				if server.requests != tc.requests || (err != nil) != tc.fails {
					t.Errorf("%d requests, %v", server.requests, err)
				}
				if tc.fails && (failure(t, err).Attempts != 2 || !strings.Contains(err.Error(), "sent only keep-alives for 10m0s")) {
					t.Errorf("%v", err)
				}
			})
		})
	}
}

// TestWaitingIsCancellable checks that a canceled ctx ends the wait between attempts at once.
func TestWaitingIsCancellable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		transport := roundTripper(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {"100"}}, Body: http.NoBody, Request: r}, nil
		})
		client := openai.NewClient(openai.Config{BaseURL: "http://host.example/v1", Transport: transport})
		start := time.Now()
		_, err := collect(ctx, client, ask("hi"))
		if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took != 30*time.Second {
			t.Errorf("%v after %s", err, took)
		}
	})
}

// endless is a body without data and without an end.
type endless struct{ ctx context.Context }

func (b endless) Read([]byte) (int, error) { <-b.ctx.Done(); return 0, b.ctx.Err() }
func (b endless) Close() error             { return nil }

// TestErrorBodiesAreNotWaitedFor checks that the client does not wait for the body of an error,
// because the status is enough.
func TestErrorBodiesAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		transport := roundTripper(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 400, Body: endless{r.Context()}, Request: r}, nil
		})
		client := openai.NewClient(openai.Config{BaseURL: "http://host.example/v1", Transport: transport})
		start := time.Now()
		_, err := collect(t.Context(), client, ask("hi"))
		if took := time.Since(start); failure(t, err).Status != 400 || took != 10*time.Second {
			t.Errorf("%v after %s", err, took)
		}
	})
}

// TestModelsAreNotWaitedFor checks that a server that does not list its models does not delay the
// program.
func TestModelsAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := openai.NewClient(openai.Config{BaseURL: "http://host.example/v1", Transport: &slowServer{headers: time.Hour}})
		start := time.Now()
		_, err := client.ListModels(t.Context())
		if took := time.Since(start); took != 3*time.Second || !strings.Contains(failure(t, err).Error(), "within 3s") {
			t.Errorf("%v after %s", err, took)
		}
	})
}
