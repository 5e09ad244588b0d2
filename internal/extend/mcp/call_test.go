package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agent/internal/extend/mcp"
	"agent/internal/testing/mcptest"
)

// The result of a tool arrives as the server sent it.
func TestResults(t *testing.T) {
	t.Parallel()
	client := connect(t, mcp.Host{})
	result := func(tool, arguments string) mcp.Result {
		t.Helper()
		r, err := client.Call(context.Background(), tool, json.RawMessage(arguments), nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := result("fail", ""); !r.IsError || r.Text() != "no such table" {
		t.Errorf("a failure is %+v", r)
	}
	if r := result("refuse", ""); !r.IsError || r.Text() != "text is missing (-32602)" {
		t.Errorf("an error of the protocol is %+v", r)
	}
	if r := result("nonsense", ""); !r.IsError || !strings.Contains(r.Text(), "there is no tool nonsense") {
		t.Errorf("an unknown tool is %+v", r)
	}
	if r := result("structured", ""); string(r.Structured) != `{"rows":[1,2]}` || len(r.Blocks) != 0 {
		t.Errorf("structured content is %+v", r)
	}
	r := result("media", "")
	want := []mcp.Block{
		{Kind: mcp.Text, Text: "a�b"},
		{Kind: mcp.Image, Data: []byte("\x89PNG\r\n\x1a\n"), MIME: "image/png"},
		{Kind: mcp.Blob, Data: []byte("RIFF"), MIME: "audio/wav"},
		{Kind: mcp.Text, Text: "T", URI: "memo://t"},
		{Kind: mcp.Blob, Data: []byte{0, 1}, MIME: "application/zip", URI: "memo://b"},
		{Kind: mcp.Link, URI: "memo://l", Name: "l"},
		{Kind: mcp.Text, Text: "for you", ForUser: true},
	}
	got, _ := json.Marshal(r.Blocks)
	if wanted, _ := json.Marshal(want); string(got) != string(wanted) {
		t.Errorf("media are\n%s, want\n%s", got, wanted)
	}
	if r.Text() != "a�b\nT" {
		t.Errorf("the text for the model is %q", r.Text())
	}
}

// If a server ends during a call, the error contains its last output, and the call is not repeated.
// The next use starts the server again after a pause, but not too often.
func TestServerEndsInACall(t *testing.T) {
	mcp.SetPauses(t, time.Millisecond, 2*time.Millisecond)
	log := filepath.Join(t.TempDir(), "log")
	set := mcp.NewSet([]mcp.Server{mcptest.Server(t, "db", "log="+log)}, mcp.Host{})
	defer set.Close()
	for range 3 {
		client, err := set.Client(context.Background(), "db")
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.Call(context.Background(), "die", nil, nil)
		wants(t, err, "db ended during the call, which may have taken effect. Its last output: panic: out of luck")
		<-client.Done()
		_, err = client.Call(context.Background(), "echo", nil, nil)
		wants(t, err, "db")
	}
	_, err := set.Client(context.Background(), "db")
	wants(t, err, "db ended 3 times within 10m0s and is not restarted before")
	sent, err := os.ReadFile(log)
	if got := strings.Count(string(sent), `"die"`); err != nil || got != 3 {
		t.Errorf("die was called %d times, %v", got, err)
	}
}

// A silent call is canceled after the time limit. A call that reports progress is not, until it
// exceeds the total limit.
func TestCallsAreBounded(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	client := connect(t, mcp.Host{}, "log="+log)
	client.SetBounds(200*time.Millisecond, time.Minute)
	_, err := client.Call(context.Background(), "silent", nil, nil)
	wants(t, err, "db was silent for 200ms. The call was canceled, but may have taken effect")
	soon(t, "the server knows that the call was cancelled", func() bool {
		sent, _ := os.ReadFile(log)
		return strings.Contains(string(sent), "notifications/cancelled")
	})
	client.SetBounds(2*time.Second, time.Minute)
	var last string
	result, err := client.Call(context.Background(), "work", json.RawMessage(`{"n":6,"ms":400}`), func(p mcp.Progress) { last = p.String() })
	if err != nil || result.Text() != "done" || !strings.HasPrefix(last, "step (") {
		t.Errorf("work that takes longer than silence may: %q, %v, progress %q", result.Text(), err, last)
	}
	client.SetBounds(time.Minute, 300*time.Millisecond)
	_, err = client.Call(context.Background(), "work", json.RawMessage(`{"n":100,"ms":20}`), nil)
	wants(t, err, "db did not answer within 300ms")
	if got := call(t, client, "echo", `{"text":"still here"}`); got != "still here" {
		t.Errorf("then echo answers %q", got)
	}
}

// The error of an interrupted call contains its latest progress.
func TestCallInterrupted(t *testing.T) {
	t.Parallel()
	client := connect(t, mcp.Host{})
	ctx, cancel := context.WithCancelCause(context.Background())
	_, err := client.Call(ctx, "work", json.RawMessage(`{"n":1000,"ms":10}`), func(p mcp.Progress) {
		if p.Done == 3 {
			cancel(errors.New("the person pressed Esc"))
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	wants(t, err, "canceled; the last progress that db reported: step (")
	if got := call(t, client, "echo", `{"text":"x"}`); got != "x" {
		t.Errorf("then echo answers %q", got)
	}
}

// Concurrent calls do not wait for each other.
func TestCallsTogether(t *testing.T) {
	t.Parallel()
	client := connect(t, mcp.Host{})
	slow := make(chan error, 1)
	go func() {
		_, err := client.Call(context.Background(), "silent", nil, nil)
		slow <- err
	}()
	for range 20 {
		call(t, client, "echo", `{"text":"x"}`)
	}
	client.Close()
	wants(t, <-slow, "db")
}

// A request for roots returns the workspace. A request for an answer of a model is refused.
func TestRequestsOfServers(t *testing.T) {
	t.Parallel()
	client := connect(t, mcp.Host{Roots: []string{"/work/my project"}})
	if got := call(t, client, "roots", ""); got != `{"roots":[{"name":"my project","uri":"file:///work/my%20project"}]}` {
		t.Errorf("the roots are %s", got)
	}
	if got := call(t, client, "sample", ""); !strings.HasPrefix(got, "refused: ") {
		t.Errorf("sampling is answered with %s", got)
	}
}
