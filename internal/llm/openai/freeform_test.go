package openai_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/testing/llmtest"
)

// askFree returns a request that offers a free-form tool and a function.
func askFree(model string) llm.Request {
	req := ask("hi")
	req.Model = model
	object := json.RawMessage(`{"type":"object"}`)
	req.Tools = []llm.ToolSpec{
		{Name: "patch", Description: "takes JSON", Schema: object, Free: &llm.FreeForm{Parameter: "input", Description: "takes text", Grammar: "start: /.+/"}},
		{Name: "f", Description: "does f", Schema: object},
	}
	return req
}

// itemTypes returns the types of the items and tools of a request, in order.
func itemTypes(t *testing.T, r *llmtest.Request) (items, tools []string) {
	t.Helper()
	var body struct {
		Input, Tools []struct {
			Type string `json:"type"`
		}
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		t.Fatal(err)
	}
	for _, item := range body.Input {
		items = append(items, item.Type)
	}
	for _, tool := range body.Tools {
		tools = append(tools, tool.Type)
	}
	return items, tools
}

const freeText = "*** Begin Patch\n+\"it's\" \\n {}\n*** End Patch\n"

// On the Responses API, GPT-5 and later write the argument of a free-form tool as plain text. The
// program stores it as an ordinary call. Requests send the call and its answer back in free form.
func TestFreeForm(t *testing.T) {
	t.Parallel()
	arguments, err := json.Marshal(map[string]string{"input": freeText})
	if err != nil {
		t.Fatal(err)
	}
	reply := llmtest.Think("hm").CallID("c1", "patch", string(arguments)).CallID("c2", "f", `{"a":1}`)
	for _, tt := range []struct {
		model        string
		api          openai.API
		tools, items []string
	}{
		{
			"gpt-5.6", openai.APIResponses,
			[]string{"custom", "function"},
			[]string{"message", "reasoning", "custom_tool_call", "function_call", "custom_tool_call_output", "function_call_output"},
		},
		{
			"o4-mini", openai.APIResponses,
			[]string{"function", "function"},
			[]string{"message", "reasoning", "function_call", "function_call", "function_call_output", "function_call_output"},
		},
		{"gpt-5.6", openai.APIChat, []string{"function", "function"}, nil},
	} {
		srv := llmtest.New(t, reply, llmtest.Say("done"))
		client, _ := newClient(t, srv)
		req := askFree(tt.model)
		first := llmtest.Collect(t.Context(), t, openai.On(client, tt.api), req)
		if len(first.Calls) != 2 || first.Calls[0].Name != "patch" || first.Finish != "tool_calls" || strings.Join(first.Started, " ") != "patch f" {
			t.Fatalf("%s on %s: %+v", tt.model, tt.api, first)
		}
		var got map[string]string
		if json.Unmarshal([]byte(first.Calls[0].Arguments), &got) != nil || got["input"] != freeText || len(got) != 1 || first.Calls[0].Cut {
			t.Errorf("%s on %s: arguments %s", tt.model, tt.api, first.Calls[0].Arguments)
		}
		req.History = append(req.History, answered(first)...)
		if second := llmtest.Collect(t.Context(), t, openai.On(client, tt.api), req); second.Text != "done" {
			t.Fatalf("%s on %s: %+v", tt.model, tt.api, second)
		}
		items, tools := itemTypes(t, srv.Requests()[1])
		if diff := cmp.Diff(tt.items, items) + cmp.Diff(tt.tools, tools); diff != "" {
			t.Errorf("%s on %s: %s", tt.model, tt.api, diff)
		}
	}
}

// Calls from a function form, calls with other arguments than one text, and calls with a duplicate
// id are paired with their answers in either form.
func TestFreeFormOfOtherCalls(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Say("done"))
	req := askFree("gpt-5.6")
	req.History = append(req.History,
		history.New(history.AI, call("a", "patch", `{"input":"x"}`), call("a", "patch", `{"input":"x","more":1}`), call("b", "patch", `"no object"`), call("c", "patch", `{"input":7}`), call("d", "gone", `{"input":"x"}`), call("e", "patch", `{"input":""}`)),
		history.New(history.Tool, answer("a", "one"), answer("a", "two"), answer("b", "three"), answer("c", "four"), answer("d", "five"), answer("e", "six")))
	if got := llmtest.Collect(t.Context(), t, newResponsesClient(t, srv), req); got.Text != "done" {
		t.Fatalf("got %+v", got)
	}
	items, _ := itemTypes(t, srv.Requests()[0])
	want := []string{
		"message", "custom_tool_call", "function_call", "function_call", "function_call", "function_call", "custom_tool_call",
		"custom_tool_call_output", "function_call_output", "function_call_output", "function_call_output", "function_call_output", "custom_tool_call_output",
	}
	if diff := cmp.Diff(want, items); diff != "" {
		t.Error(diff)
	}
}

// A free-form call that the output limit cut is marked as cut, whatever its text. A call without
// deltas, or only in the last event, is complete.
func TestFreeFormInPieces(t *testing.T) {
	t.Parallel()
	const added = `{"type":"response.output_item.added","output_index":0,"item":{"type":"custom_tool_call","call_id":"c1","name":"patch","input":""}}`
	item := fmt.Sprintf(`{"type":"custom_tool_call","call_id":"c1","name":"patch","input":%q}`, "a\nb")
	for name, tt := range map[string]struct {
		turn llmtest.Turn
		want llm.ToolCall
	}{
		"cut": {llmtest.Turn{}.NoFinish().Event(added).Event(`{"type":"response.custom_tool_call_input.delta","output_index":0,"delta":"*** Begin"}`).
			Event(`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}`), llm.ToolCall{ID: "c1", Name: "patch", Arguments: "*** Begin", Cut: true}},
		"one piece": {llmtest.Turn{}.NoFinish().Event(`{"type":"response.output_item.done","output_index":0,"item":` + item + `}`).
			Event(`{"type":"response.completed","response":{"status":"completed"}}`), llm.ToolCall{ID: "c1", Name: "patch", Arguments: `{"input":"a\nb"}`}},
		"at the end": {llmtest.Turn{}.NoFinish().Event(`{"type":"response.completed","response":{"status":"completed","output":[` + item + `]}}`), llm.ToolCall{ID: "c1", Name: "patch", Arguments: `{"input":"a\nb"}`}},
	} {
		srv := llmtest.New(t, tt.turn)
		got := llmtest.Collect(t.Context(), t, newResponsesClient(t, srv), askFree("gpt-5.6"))
		if diff := cmp.Diff([]llm.ToolCall{tt.want}, got.Calls); diff != "" {
			t.Errorf("%s: %v %s", name, got.Err, diff)
		}
	}
}

// If an endpoint refuses free-form tools, the request is repeated at once with functions. Later
// requests use functions too.
func TestFreeFormRefused(t *testing.T) {
	t.Parallel()
	refusal := llmtest.Fail(400, `{"error":{"message":"Invalid value: 'custom'. Supported values are: 'function'.","param":"tools[0].type"}}`)
	srv := llmtest.New(t, refusal, llmtest.Say("one"), llmtest.Say("two"))
	client := newResponsesClient(t, srv)
	for _, want := range []string{"one", "two"} {
		if got := llmtest.Collect(t.Context(), t, client, askFree("gpt-5.6")); got.Text != want {
			t.Fatalf("got %+v", got)
		}
	}
	for i, want := range []string{"custom function", "function function", "function function"} {
		if _, tools := itemTypes(t, srv.Requests()[i]); strings.Join(tools, " ") != want {
			t.Errorf("request %d offers %s", i, tools)
		}
	}
}
