package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/llmtest"
)

// What cache-aware takes for the cached prefix is that of the requests really sent: the
// body of a request goes on from the one before, byte for byte, unless a cut was told
// before it.
func TestPrefixOfTheRequestsSent(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	srv := llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn {
		n := calls.Add(1)
		if n > jobCalls {
			return llmtest.Say("all done")
		}
		if n%2 == 0 { // shows nothing new, so that something is saved from the start
			return llmtest.Turn{}.CallID(fmt.Sprint("c", n), "read_file", `{"file_path":"seen.go"}`)
		}
		note := strings.Repeat(fmt.Sprint("word", n, " "), 300)
		return llmtest.Turn{}.CallID(fmt.Sprint("c", n), "write_file", fmt.Sprintf(`{"file_path":"part%d.go","note":%q}`, n%3, note))
	})
	b := newBench(t)
	client := llm.NewClient(llm.ClientConfig{BaseURL: "http://api.example.com/v1", Transport: srv.Transport()})
	b.Provider = func() (llm.Provider, error) { return client, nil }
	b.set("compression.strategy", "cache-aware")
	if out, err := b.Prompt(context.Background(), "go"); err != nil || out.Response != "all done" {
		t.Fatalf("ended with %q, %v", out.Response, err)
	}
	told := 0
	for _, e := range b.events {
		if _, ok := e.(DensityApplied); ok {
			told++
		}
	}
	cut := 0
	sent := srv.Requests()
	for i := 1; i < len(sent); i++ {
		if !goesOn(t, sent[i-1], sent[i]) {
			cut++
		}
	}
	if cut == 0 || cut > told {
		t.Errorf("%d of %d requests do not go on from the one before, %d cuts were told", cut, len(sent), told)
	}
}

// goesOn reports whether the messages of a request begin with those of the one before.
func goesOn(t *testing.T, before, after *llmtest.Request) bool {
	t.Helper()
	messages := func(r *llmtest.Request) []json.RawMessage {
		var list []json.RawMessage
		if err := json.Unmarshal(r.Fields["messages"], &list); err != nil {
			t.Fatal(err)
		}
		return list
	}
	a, b := messages(before), messages(after)
	if len(b) < len(a) {
		return false
	}
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}
