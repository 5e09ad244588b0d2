package openai_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/testing/llmtest"
)

// FuzzChatStream checks that a reply fulfills the contract of a provider for any stream, and does
// not depend on how the stream is split.
func FuzzChatStream(f *testing.F) {
	const done = "data: [DONE]\n\n"
	for _, stream := range []string{
		textEvent + finishEvent + done,
		`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\\"p\\":1}"}}]}}]}` + "\n\n" + done,
		`data: {"choices":[{"delta":{"function_call":{"name":"f","arguments":"{}"}},"finish_reason":1}],"usage":{"prompt_tokens":"7"}}` + "\n\n",
		`data: {"choices":[{"delta":{"function_call":{"arguments":"{}"}},"finish_reason":"stop"}]}` + "\n\n", // without a name
		`data: {"error":{"message":"boom"}}` + "\n\n", "<html>", `{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`,
	} {
		f.Add([]byte(stream))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		whole := replyTo(t, bytes.NewReader(stream))
		pieces := replyTo(t, iotest.OneByteReader(bytes.NewReader(stream)))
		if diff := cmp.Diff(whole, pieces); diff != "" {
			t.Fatal(diff)
		}
	})
}

// FuzzResponsesStream checks the same for the Responses API.
func FuzzResponsesStream(f *testing.F) {
	for _, stream := range []string{
		`data: {"type":"response.output_text.delta","delta":"hi"}` + "\n\n" + `data: {"type":"response.completed","response":{"status":"completed","output":[],"usage":{"input_tokens":7}}}` + "\n\n",
		`data: {"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","call_id":"a","name":"f"}}` + "\n\n" + `data: {"type":"response.function_call_arguments.delta","output_index":1,"delta":"{}"}` + "\n\n" +
			`data: {"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","encrypted_content":"x"}}` + "\n\n" + `data: {"type":"response.incomplete","response":{"status":"incomplete"}}` + "\n\n",
		`data: {"type":"response.failed","response":{"status":"failed","error":{"message":"x"}}}` + "\n\n", `{"status":"completed","output":[{"type":"message","content":[{"text":"hi"}]}]}`,
	} {
		f.Add([]byte(stream))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		whole := replyOn(t, openai.APIResponses, bytes.NewReader(stream))
		pieces := replyOn(t, openai.APIResponses, iotest.OneByteReader(bytes.NewReader(stream)))
		if diff := cmp.Diff(whole, pieces); diff != "" {
			t.Fatal(diff)
		}
	})
}

func replyTo(t *testing.T, stream io.Reader) llmtest.Reply { return replyOn(t, openai.APIChat, stream) }

// replyOn returns the reply that the client makes of a stream, with its error as text.
func replyOn(t *testing.T, api openai.API, stream io.Reader) llmtest.Reply {
	t.Helper()
	client := openai.NewClient(openai.Config{
		BaseURL: "http://host.example/v1",
		API:     api,
		Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			header := http.Header{"Content-Type": {"text/event-stream"}}
			return &http.Response{StatusCode: http.StatusOK, Header: header, Body: io.NopCloser(stream), Request: r}, nil
		}),
		Retry: llm.RetryPolicy{Sleep: func(context.Context, time.Duration) error { return nil }},
	})
	req := ask("hi")
	req.Patience.Retries = 0
	reply := llmtest.Collect(t.Context(), t, client, req)
	if reply.Err != nil {
		if strings.ContainsAny(reply.Err.Error(), "\n\x1b") {
			t.Errorf("%q drives the terminal", reply.Err)
		}
		reply = llmtest.Reply{Text: reply.Text, Reasoning: reply.Reasoning, Finish: reply.Err.Error()}
	}
	return reply
}
