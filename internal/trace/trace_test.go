package trace

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/chat"
	"agent/internal/session"
	"agent/internal/tools"
	"agent/internal/toolspec"
)

func environ(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

const secret = "what was said"

// turn holds the events of a turn with a request, a tool that fails, and a second request.
var turn = []chat.Event{
	chat.TurnStarted{},
	chat.RequestStarted{},
	chat.TextDelta{Delta: secret},
	chat.UsageReported{PromptTokens: 7, CompletionTokens: 3},
	chat.Retry{Attempt: 2, Reason: secret},
	chat.ReplyEnded{Text: secret},
	chat.ToolStarted{Call: 1, ID: "c1", Name: "run_shell_command", Label: toolspec.Label{Subject: secret, Key: secret}},
	chat.Warmed{CacheRefresh: session.CacheRefresh{Model: "m", Prompt: 9, Cached: 8}, At: time.Now()},
	chat.ToolEnded{Call: 1, Name: "run_shell_command", Answer: tools.Answer{Text: secret, Error: secret}},
	chat.ToolStarted{Call: 2, ID: "c2", Name: "task"},
	chat.AgentStarted{AgentState: chat.AgentState{ID: "s-a", Call: 2, Agent: "explore", Model: "small", Title: secret}},
	chat.AgentEvent{ID: "s-a", Event: chat.RequestStarted{}},
	chat.AgentEvent{ID: "s-a", Event: chat.ReplyEnded{Text: secret}},
	chat.AgentEvent{ID: "s-a", Event: chat.ToolStarted{Call: 2, ID: "c2", Name: "glob"}},
	chat.AgentEvent{ID: "s-a", Event: chat.ToolEnded{Call: 2, Name: "glob"}},
	chat.AgentEvent{ID: "s-b", Event: chat.ReplyEnded{Text: secret}}, // of a subagent without a start event
	chat.AgentEnded{AgentState: chat.AgentState{ID: "s-a", Call: 2}, Status: "failed: " + secret},
	chat.ToolEnded{Call: 2, Name: "task"},
	chat.RequestStarted{},
	chat.DensityApplied{TokensBefore: 9, TokensAfter: 5},
	chat.ReplyEnded{Text: secret},
	chat.TurnEnded{Outcome: chat.Outcome{Response: secret, Stop: chat.StopDone, Requests: 2, ToolCalls: 1}},
}

// The spans for a collector are in OTLP format, have the right parents, and contain no text of the
// conversation.
func TestSpans(t *testing.T) {
	t.Parallel()
	bodies := make(chan string, 9)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("X-Token") != "a b" {
			t.Errorf("%s %v", r.URL, r.Header)
		}
		bodies <- string(body)
	}))
	defer server.Close()
	caller := strings.Repeat("ab", 16)
	tracer := Start(environ("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL+"/", "OTEL_EXPORTER_OTLP_HEADERS", "x-token=a%20b", "TRACEPARENT", "00-"+caller+"-00f067aa0ba902b7-01"), "v1", "s1", func() string { return "m" }, strings.Clone, time.Now)
	for _, e := range turn {
		tracer.HandleEvent(e)
	}
	tracer.Close()
	close(bodies)
	var names []string
	ids := map[string]string{}
	of := map[string]string{} // the names of the parents, by span name
	for body := range bodies {
		if strings.Contains(body, secret) {
			t.Errorf("it holds what was said: %s", body)
		}
		var got struct {
			ResourceSpans []struct {
				Resource   struct{ Attributes []attribute }
				ScopeSpans []struct{ Spans []span }
			}
		}
		decoder := json.NewDecoder(strings.NewReader(body))
		if err := decoder.Decode(&got); err != nil || len(got.ResourceSpans) != 1 || *got.ResourceSpans[0].Resource.Attributes[0].Value.Text != "agent" {
			t.Fatalf("%v: %s", err, body)
		}
		for _, s := range got.ResourceSpans[0].ScopeSpans[0].Spans {
			names = append(names, fmt.Sprintf("%s %d", s.Name, s.Status.Code))
			if id, err := hex.DecodeString(s.SpanID); err != nil || len(id) != 8 || s.TraceID != caller || s.Start == "" || s.End < s.Start || s.ParentID == "" {
				t.Errorf("%+v", s)
			}
			ids[s.SpanID], of[s.Name] = s.Name, s.ParentID
			if s.Name == "invoke_agent agent" && s.ParentID != "00f067aa0ba902b7" {
				t.Errorf("its caller is %s", s.ParentID)
			}
		}
		for _, want := range []string{`"kind":3`, `"intValue":"7"`, `"key":"gen_ai.usage.input_tokens"`, `{"key":"gen_ai.tool.name","value":{"stringValue":"run_shell_command"}}`, `"timeUnixNano":"`} {
			if !strings.Contains(body, want) {
				t.Errorf("no %s in %s", want, body)
			}
		}
	}
	if want := []string{"chat m 0", "refresh m 0", "execute_tool run_shell_command 2", "chat small 0", "execute_tool glob 0", "invoke_agent explore 2", "execute_tool task 0", "chat m 0", "invoke_agent agent 0"}; !slices.Equal(names, want) {
		t.Errorf("spans %q", names)
	}
	for name, want := range map[string]string{"chat small": "invoke_agent explore", "execute_tool glob": "invoke_agent explore", "refresh m": "invoke_agent agent", "invoke_agent explore": "execute_tool task"} {
		if got := ids[of[name]]; got != want {
			t.Errorf("%s is below %s", name, got)
		}
	}
}

// If a collector hangs, refuses or is missing, the end of the program is delayed by two seconds and
// no event waits. The number of stored spans is limited.
func TestBadCollectors(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }))
	t.Cleanup(func() { close(hang); hanging.Close(); refusing.Close() })
	for _, address := range []string{hanging.URL, refusing.URL, "http://127.0.0.1:1"} {
		tracer := Start(environ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", address), "v", "s", func() string { return "m" }, strings.Clone, time.Now)
		begun := time.Now()
		for range 2000 {
			for _, e := range turn {
				tracer.HandleEvent(e)
			}
		}
		if took := time.Since(begun); took > 10*time.Second { // a real wait would take far longer
			t.Errorf("%s: the events took %s", address, took)
		}
		tracer.mu.Lock()
		if len(tracer.done) > mostSpans {
			t.Errorf("%d spans wait", len(tracer.done))
		}
		tracer.mu.Unlock()
		begun = time.Now()
		tracer.Close()
		tracer.Close()
		if took := time.Since(begun); took > lastWords+10*time.Second {
			t.Errorf("%s: the end took %s", address, took)
		}
	}
}

// Without the variable, or with an invalid address, there is no tracer.
func TestCollectorAddress(t *testing.T) {
	t.Parallel()
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	for _, pairs := range [][]string{
		{},
		{endpoint, "localhost:4318"},
		{endpoint, "ftp://x"},
		{endpoint, "http://h", "OTEL_SDK_DISABLED", "true"},
		{endpoint, "http://h", "OTEL_TRACES_EXPORTER", "none"},
		{endpoint, "http://h:4317", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
		{endpoint, "http://h:4317", "OTEL_EXPORTER_OTLP_PROTOCOL", "http/json", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "grpc"},
	} {
		if c := collectorOf(environ(pairs...)); c != nil {
			t.Errorf("%q: %+v", pairs, c)
		}
	}
	var none *Tracer
	none.HandleEvent(chat.TurnEnded{Err: errors.New("x")})
	none.Close()
	if c := collectorOf(environ(endpoint, "http://h/a/", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://t/p")); c == nil || c.url != "https://t/p" {
		t.Errorf("%+v", c)
	}
	// The protocol for traces takes precedence over the general one.
	if c := collectorOf(environ(endpoint, "http://h", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json")); c == nil {
		t.Error("no collector although traces go over HTTP")
	}
}
