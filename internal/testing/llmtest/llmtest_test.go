package llmtest

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestValidate checks that the test server refuses the same requests as a strict server.
func TestValidate(t *testing.T) {
	t.Parallel()
	const (
		user   = `{"role":"user","content":"hi"}`
		call   = `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}`
		answer = `{"role":"tool","tool_call_id":"a","content":"ok"}`
	)
	tests := []struct{ name, messages, problem string }{
		{"a plain exchange", user + "," + call + "," + answer, ""},
		{"text in parts", `{"role":"user","content":[{"type":"text","text":"x"},{"type":"image_url","image_url":{"url":"data:,"}}]}`, ""},
		{"the same id in a later turn", user + "," + call + "," + answer + "," + call + "," + answer, ""},
		{"nothing", ``, "no messages"},
		{"a blank user message", `{"role":"user","content":" "}`, "empty user message"},
		{"an answer without content", user + "," + call + `,{"role":"tool","tool_call_id":"a"}`, "empty tool message"},
		{"an assistant that says nothing", user + `,{"role":"assistant","content":""}`, "empty assistant message"},
		{"an unanswered call", user + "," + call, "without an answer"},
		{"a call answered late", user + "," + call + "," + user + "," + answer, "while calls wait"},
		{"a call answered twice", user + "," + call + "," + answer + "," + answer, "not waiting"},
		{"an answer to nothing", user + "," + answer, "not waiting"},
		{"arguments that are a string", user + "," + strings.Replace(call, `"{}"`, `"\"x\""`, 1) + "," + answer, "not a JSON object"},
		{"arguments that are null", user + "," + strings.Replace(call, `"{}"`, `"null"`, 1) + "," + answer, "not a JSON object"},
		{"a late system message", user + `,{"role":"system","content":"x"}`, "not the first"},
		{"an unknown role", `{"role":"bot","content":"x"}`, "unknown role"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := Validate([]byte(`{"model":"m","stream":true,"messages":[` + tt.messages + `]}`))
			if got := fmt.Sprint(err); tt.problem == "" && err != nil || !strings.Contains(got, tt.problem) {
				t.Errorf("got %v, want %q", err, tt.problem)
			}
		})
	}
}

func TestValidateOutsideMessages(t *testing.T) {
	t.Parallel()
	const messages = `"messages":[{"role":"user","content":"hi"}]`
	for body, problem := range map[string]string{
		`{`:               "JSON",
		`{"stream":true}`: "no model",
		`{"model":"m"}`:   "stream",
		`{"model":"m","stream":true,` + messages + `,"tools":[{"function":{"name":"f"}}]}`: "not an object",
	} {
		if err := Validate([]byte(body)); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: got %v, want %q", body, err, problem)
		}
	}
}

func TestServerPlaysAndRecords(t *testing.T) {
	t.Parallel()
	srv := New(t, Say("hi").Call("f", `{"a":"b"}`).Usage(10, 2, 5), HTML(502), Say("abc").CutAt(20))
	lines := post(t, srv)
	want := []string{`"content":"hi"`, `"name":"f"`, `"arguments":"{\"`, `"finish_reason":"tool_calls"`, `"cached_tokens":5`, "[DONE]"}
	for _, w := range want {
		if !strings.Contains(lines, w) {
			t.Errorf("no %s in\n%s", w, lines)
		}
	}
	if page := post(t, srv); !strings.Contains(page, "<html>") {
		t.Errorf("no web page: %s", page)
	}
	if cut := post(t, srv); len(cut) != 20 {
		t.Errorf("cut after %d bytes, want 20", len(cut))
	}
	if got := srv.Requests(); len(got) != 3 || got[2].Number != 2 || got[0].Last().Content != "hello" || got[0].Model != "m" {
		t.Errorf("requests %+v", got)
	}
}

func post(t *testing.T, srv *Server) string {
	t.Helper()
	body := `{"model":"m","stream":true,"messages":[{"role":"user","content":"hello"}]}`
	response, err := http.Post(srv.URL+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, _ := io.ReadAll(bufio.NewReader(response.Body))
	return string(text)
}

// TestValidateFreeForm checks that the Responses API pairs a call only with an answer of the
// matching kind, and accepts a free-form tool with a grammar.
func TestValidateFreeForm(t *testing.T) {
	t.Parallel()
	const (
		user = `{"type":"message","role":"user","content":"hi"}`
		call = `{"type":"custom_tool_call","call_id":"a","name":"f","input":"x"}`
		tool = `{"type":"custom","name":"f","format":{"type":"grammar","syntax":"lark","definition":"start: /.+/"}}`
	)
	for _, tt := range []struct{ input, tools, problem string }{
		{user + "," + call + `,{"type":"custom_tool_call_output","call_id":"a","output":"ok"}`, tool, ""},
		{user + "," + call + `,{"type":"function_call_output","call_id":"a","output":"ok"}`, tool, "no tool call found"},
		{user + `,{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},{"type":"custom_tool_call_output","call_id":"a","output":"ok"}`, tool, "no tool call found"},
		{user + "," + strings.Replace(call, "input", "arguments", 1), tool, "without input"},
		{user, strings.Replace(tool, "lark", "ebnf", 1), "no free form"},
		{user, strings.Replace(tool, "custom", "function", 1), "has a grammar"},
		{user, strings.Replace(tool, "custom", "odd", 1), "has the type"},
	} {
		request, err := decode(Responses, []byte(`{"model":"m","stream":true,"store":false,"input":[`+tt.input+`],"tools":[`+tt.tools+`]}`))
		if err == nil {
			err = request.validate()
		}
		if got := fmt.Sprint(err); tt.problem == "" && err != nil || !strings.Contains(got, tt.problem) {
			t.Errorf("%s with %s: got %v, want %q", tt.input, tt.tools, err, tt.problem)
		}
	}
}
