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

// vendorClient returns a client whose requests to the host go to srv.
func vendorClient(t *testing.T, srv *llmtest.Server, host string) *openai.Client {
	t.Helper()
	return openai.NewClient(openai.Config{
		BaseURL: "http://" + host + "/v1", Transport: srv.Transport(), Retry: llm.RetryPolicy{Sleep: (&waits{}).sleep},
	})
}

// answered returns the entry of a reply and the answers to its calls.
func answered(r llmtest.Reply) []*history.Content {
	var blocks, answers []history.Block
	if r.Reasoning != "" || r.Thought != nil {
		blocks = append(blocks, &history.Thinking{Thought: r.Reasoning, Attached: r.Thought})
	}
	if r.Text != "" {
		blocks = append(blocks, &history.Text{Text: r.Text})
	}
	for _, call := range r.Calls {
		blocks = append(blocks, &history.ToolCall{ID: call.ID, Name: call.Name, Parameters: json.RawMessage(call.Arguments), Attached: call.Attached})
		answers = append(answers, &history.ToolResponse{CallID: call.ID, ToolName: call.Name, Result: history.TextResult("ok")})
	}
	entries := []*history.Content{history.New(history.AI, blocks...)}
	if len(answers) > 0 {
		entries = append(entries, history.New(history.Tool, answers...))
	}
	return entries
}

// TestReplay checks that data that a provider attached is sent back to it unchanged if the provider
// needs it, and to no other provider.
func TestReplay(t *testing.T) {
	t.Parallel()
	const (
		signature = `{"google":{"thought_signature":"SIG"}}`
		skip      = `{"google":{"thought_signature":"skip_thought_signature_validator"}}`
	)
	thinks := llmtest.Think("let me ", "see").Call("f", `{}`).Call("g", `{}`)
	signs := llmtest.Call("f", `{}`).Call("g", `{}`).WithExtraContent(signature)
	details := llmtest.Turn{}.
		Details(`[{"type":"reasoning.text","index":0,"text":"let "}]`).Details(`[{"type":"reasoning.text","index":0,"text":"me"}]`).
		Details(`[{"type":"reasoning.text","index":0,"signature":"SIG"},{"type":"reasoning.encrypted","index":1,"data":"x"}]`).Call("f", `{}`)
	const merged = `[{"index":0,"signature":"SIG","text":"let me","type":"reasoning.text"},{"data":"x","index":1,"type":"reasoning.encrypted"}]`
	signsBoth := llmtest.Turn{}.Details(`[{"type":"reasoning.encrypted","index":0,"id":"a","data":"x"}]`).
		Details(`[{"type":"reasoning.encrypted","index":0,"id":"b","data":"y"}]`).Call("f", `{}`).Call("g", `{}`)
	const both = `[{"data":"x","id":"a","index":0,"type":"reasoning.encrypted"},{"data":"y","id":"b","index":0,"type":"reasoning.encrypted"}]`
	for name, tt := range map[string]struct {
		host, model string
		turn        llmtest.Turn
		replay      llm.Replay
		// toHost and toModel are the receiver of the history, or the original one if empty.
		toHost, toModel string
		// reasoning and details are members of the assistant message in the request. extra is a
		// member of its first call. Empty strings mean that the member is absent.
		reasoning, details, extra string
	}{
		"DeepSeek":                      {host: "api.deepseek.com", model: "deepseek-v4", turn: thinks, reasoning: `"let me see"`},
		"DeepSeek without reasoning":    {host: "api.deepseek.com", model: "deepseek-v4", turn: llmtest.Call("f", `{}`), reasoning: `""`},
		"DeepSeek elsewhere":            {host: "cloud.example.com", model: "acme/DeepSeek-V4", turn: thinks, reasoning: `"let me see"`},
		"never":                         {host: "api.deepseek.com", model: "deepseek-v4", turn: thinks, replay: llm.ReplayNever},
		"details with ids of their own": {host: "openrouter.ai", model: "google/gemini-3-pro", turn: signsBoth, details: both},
		"another model":                 {host: "api.deepseek.com", model: "deepseek-v4", turn: thinks, toModel: "deepseek-v5", reasoning: `""`},
		"another host":                  {host: "api.deepseek.com", model: "deepseek-v4", turn: thinks, toHost: "api.example.com", toModel: "m"},
		"an unknown endpoint":           {host: "api.example.com", model: "m", turn: thinks},
		"always":                        {host: "api.example.com", model: "m", turn: thinks, replay: llm.ReplayAlways, reasoning: `"let me see"`},
		"a local server":                {host: "localhost:11434", model: "deepseek-r1", turn: thinks},
		"Gemini":                        {host: "generativelanguage.googleapis.com", model: "gemini-3-pro", turn: signs, extra: signature},
		"Gemini, foreign history":       {host: "api.example.com", model: "m", turn: thinks, toHost: "generativelanguage.googleapis.com", toModel: "gemini-3-pro", extra: skip},
		"Gemini, another of them":       {host: "generativelanguage.googleapis.com", model: "gemini-3-pro", turn: signs, toModel: "gemini-3-flash", extra: skip},
		"Gemini before 3":               {host: "generativelanguage.googleapis.com", model: "gemini-2.5-pro", turn: llmtest.Call("f", `{}`)},
		"signatures at a gateway":       {host: "api.example.com", model: "m", turn: signs, extra: signature},
		"signatures leave it":           {host: "api.example.com", model: "m", turn: signs, toHost: "api.other.com"},
		"OpenRouter":                    {host: "openrouter.ai", model: "anthropic/claude", turn: details, details: merged},
		"OpenRouter, never":             {host: "openrouter.ai", model: "anthropic/claude", turn: details, replay: llm.ReplayNever},
		"OpenRouter, another model":     {host: "openrouter.ai", model: "anthropic/claude", turn: details, toModel: "x/y"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.New(t, tt.turn, llmtest.Say("done"))
			req := ask("hi")
			req.Model, req.Replay = tt.model, tt.replay
			got := llmtest.Collect(t.Context(), t, vendorClient(t, srv, tt.host), req)
			req.History = append(req.History, answered(got)...)
			if tt.toModel != "" {
				req.Model = tt.toModel
			}
			host := tt.host
			if tt.toHost != "" {
				host = tt.toHost
			}
			if end := llmtest.Collect(t.Context(), t, vendorClient(t, srv, host), req); end.Text != "done" {
				t.Fatalf("got %+v", end)
			}
			message := srv.Requests()[1].Messages[1]
			sent := []string{string(message.Fields["reasoning_content"]), string(message.Fields["reasoning_details"]), string(message.ToolCalls[0].Extra)}
			if diff := cmp.Diff([]string{tt.reasoning, tt.details, tt.extra}, sent); diff != "" {
				t.Error(diff)
			}
			if len(message.ToolCalls) > 1 && len(message.ToolCalls[1].Extra) > 0 {
				t.Errorf("the second call has %s", message.ToolCalls[1].Extra)
			}
		})
	}
}

// TestLessons checks that a request is repeated at once if the endpoint refuses a parameter with a
// known message. Later requests omit or change the parameter too.
func TestLessons(t *testing.T) {
	t.Parallel()
	refuse := func(message string) llmtest.Turn {
		raw, _ := json.Marshal(map[string]any{"error": map[string]string{"message": message}})
		return llmtest.Fail(400, string(raw))
	}
	const skip = `{"google":{"thought_signature":"skip_thought_signature_validator"}}`
	for name, tt := range map[string]struct {
		host, refusal    string
		reasoning, extra string
	}{
		"reasoning is demanded":    {"api.example.com", "The `reasoning_content` in the thinking mode must be passed back to the API.", `"hm"`, `{"a":1}`},
		"by Kimi's words":          {"api.example.com", "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2", `"hm"`, `{"a":1}`},
		"reasoning is unknown":     {"api.deepseek.com", "property 'reasoning_content' is unsupported", "", `{"a":1}`},
		"signatures of others":     {"api.example.com", "Corrupted thought signature.", "", skip},
		"reasoning cannot be read": {"api.deepseek.com", "Invalid `signature` in `thinking` block", "", `{"a":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.New(t, llmtest.Think("hm").Call("f", `{}`).WithExtraContent(`{"a":1}`), refuse(tt.refusal), llmtest.Say("one"), llmtest.Say("two"))
			client := vendorClient(t, srv, tt.host)
			req := ask("hi")
			req.History = append(req.History, answered(llmtest.Collect(t.Context(), t, client, req))...)
			for _, want := range []string{"one", "two"} {
				if got := llmtest.Collect(t.Context(), t, client, req); got.Text != want {
					t.Fatalf("got %+v", got)
				}
			}
			for _, r := range srv.Requests()[2:] {
				message := r.Messages[1]
				if got := string(message.Fields["reasoning_content"]); got != tt.reasoning {
					t.Errorf("reasoning %s, want %s", got, tt.reasoning)
				}
				if got := string(message.ToolCalls[0].Extra); got != tt.extra {
					t.Errorf("extra %s, want %s", got, tt.extra)
				}
			}
		})
	}
}

// TestRefusedAttachments checks that refused signatures and refused encrypted reasoning are
// omitted, with one note. Data of later replies is sent back again. If that is refused too,
// requests omit all such data.
func TestRefusedAttachments(t *testing.T) {
	t.Parallel()
	const corrupted, foreign = "Corrupted thought signature.", "The encrypted content gAAA could not be verified. Reason: Encrypted content organization_id did not match the target organization."
	for name, tt := range map[string]struct {
		host, model, refusal, note string
		reply                      func(attached string) llmtest.Turn
		// sent is the part of a request that contains the attachment.
		sent string
	}{
		"a signature": {
			host: "generativelanguage.googleapis.com", model: "gemini-3-pro", refusal: corrupted, note: "rejected the signatures",
			reply: func(a string) llmtest.Turn {
				return llmtest.Call("f", `{}`).WithExtraContent(`{"google":{"thought_signature":"` + a + `"}}`)
			},
			sent: `"thought_signature":"%s"`,
		},
		"the thinking of Claude": {
			host: "openrouter.ai", model: "anthropic/claude", refusal: "messages.1.content.0: Invalid `signature` in `thinking` block", note: "no longer read the reasoning",
			reply: func(a string) llmtest.Turn {
				return llmtest.Turn{}.Details(`[{"type":"reasoning.text","index":0,"text":"x","signature":"`+a+`"}]`).Call("f", `{}`)
			},
			sent: `"signature":"%s"`,
		},
		"another account": {
			host: "api.openai.com", model: "gpt-5.6", refusal: foreign, note: "no longer read the reasoning",
			reply: func(a string) llmtest.Turn { return llmtest.Think(a).Call("f", `{}`) },
			sent:  `"text":"%s"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, _ := json.Marshal(map[string]any{"error": map[string]string{"message": tt.refusal}})
			refuse := llmtest.Fail(400, string(raw))
			srv := llmtest.New(t, tt.reply("OLD"), refuse, tt.reply("NEW"), llmtest.Say("two"), refuse, llmtest.Say("three"))
			client := vendorClient(t, srv, tt.host)
			req := ask("hi")
			req.Model = tt.model
			ask := func(want ...string) {
				t.Helper()
				got := llmtest.Collect(t.Context(), t, client, req)
				if got.Err != nil || len(got.Notes) != len(want) || len(want) > 0 && !strings.Contains(got.Notes[0], want[0]) {
					t.Fatalf("got %+v", got)
				}
				req.History = append(append(req.History, answered(got)...), history.HumanText("and?"))
			}
			ask()
			ask(tt.note)
			ask()
			ask(tt.note)
			for i, want := range [][2]bool{1: {true, false}, 2: {false, false}, 3: {false, true}, 4: {false, true}, 5: {false, false}} {
				body := string(srv.Requests()[i].Body)
				has := func(a string) bool { return strings.Contains(body, fmt.Sprintf(tt.sent, a)) }
				if got := [2]bool{has("OLD"), has("NEW")}; got != want {
					t.Errorf("request %d has %v, want %v:\n%s", i, got, want, body)
				}
			}
		})
	}
}

// kept stores the dialect of each endpoint.
type kept map[string]openai.Dialect

func (k kept) Learned(model string) openai.Dialect { return k[model] }
func (k kept) Keep(model string, d openai.Dialect) {
	raw, _ := json.Marshal(d)
	var again openai.Dialect
	_ = json.Unmarshal(raw, &again)
	k[model] = again
}

// TestLessonsAreKept checks that the next run knows the accepted dialect of an endpoint. A change
// that did not help, or that concerns one conversation, is not stored.
func TestLessonsAreKept(t *testing.T) {
	t.Parallel()
	fail := func(message string) llmtest.Turn {
		return llmtest.Fail(400, `{"error":{"message":"`+message+`"}}`)
	}
	srv := llmtest.New(t,
		llmtest.Call("f", `{}`).WithExtraContent(`{"a":1}`), fail("Unknown parameter: stream_options"), fail("Corrupted thought signature."), llmtest.Say("ok"),
		llmtest.Say("next run"),
		fail("Unknown parameter: prompt_cache_key"), fail("the model is ill"))
	remembered := kept{}
	open := func() *openai.Client {
		return openai.NewClient(openai.Config{BaseURL: "http://api.example.com/v1", Transport: srv.Transport(), Lessons: remembered})
	}
	req, client := ask("hi"), open()
	req.History = append(req.History, answered(llmtest.Collect(t.Context(), t, client, req))...)
	llmtest.Collect(t.Context(), t, client, req)
	if diff := cmp.Diff(kept{"m": {OmitUsage: true, Signatures: true}}, remembered); diff != "" {
		t.Error(diff)
	}
	if got := llmtest.Collect(t.Context(), t, open(), req); got.Text != "next run" || srv.Requests()[4].Fields["stream_options"] != nil {
		t.Errorf("got %+v, %s", got, srv.Requests()[4].Body)
	}
	req.Model = "ill"
	llmtest.Collect(t.Context(), t, open(), req)
	if _, there := remembered["ill"]; there {
		t.Errorf("kept what did not help: %+v", remembered)
	}
}

// TestOutputLimitIsLearned checks that the client tries both names of the output limit, because
// servers support one of them.
func TestOutputLimitIsLearned(t *testing.T) {
	t.Parallel()
	for model, tt := range map[string]struct{ refusal, want string }{
		"alias-of-azure": {"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_completion_tokens"},
		"gpt-5-at-home":  {"Unrecognized request argument supplied: max_completion_tokens", "max_tokens"},
	} {
		raw, _ := json.Marshal(map[string]any{"error": map[string]string{"message": tt.refusal}})
		srv := llmtest.New(t, llmtest.Fail(400, string(raw)), llmtest.Say("ok"))
		req := ask("hi")
		req.Model, req.MaxOutputTokens = model, 77
		got := llmtest.Collect(t.Context(), t, vendorClient(t, srv, "api.example.com"), req)
		if fields := srv.Requests()[1].Fields; got.Text != "ok" || string(fields[tt.want]) != "77" {
			t.Errorf("%s: %+v", model, got)
		}
	}
}

// TestRefusedSettings checks that a setting that a model refuses is omitted with a note, for the
// messages of several servers. The output limit has two names to try.
func TestRefusedSettings(t *testing.T) {
	t.Parallel()
	fields := []string{"temperature", "top_p", "reasoning_effort", "max_tokens", "max_completion_tokens"}
	for _, words := range []string{
		"Unsupported parameter: '%s' is not supported with this model.", "Unrecognized request argument supplied: %s", "The '%s' parameter is not available for this model",
		"property '%s' is unsupported", "Parameter %s is disallowed", "this endpoint does not accept `%s`", "`%s` is deprecated for this model.", "extraneous key [%s] is not permitted",
	} {
		srv := llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn {
			for _, field := range fields {
				if _, sent := r.Fields[field]; sent {
					raw, _ := json.Marshal(map[string]any{"error": map[string]string{"message": fmt.Sprintf(words, field)}})
					return llmtest.Fail(400, string(raw))
				}
			}
			return llmtest.Say("ok")
		})
		req, half := ask("hi"), 0.5
		req.Temperature, req.TopP, req.ReasoningEffort, req.MaxOutputTokens = &half, &half, "high", 77
		client, _ := newClient(t, srv)
		got, err := collect(t.Context(), client, req)
		var notes []string
		for _, chunk := range got {
			if adapted, is := chunk.(llm.AdaptedRequest); is {
				notes = append(notes, adapted.Note)
			}
		}
		if all := strings.Join(notes, "\n"); err != nil || len(notes) != 3 || !strings.Contains(all, "temperature") || !strings.Contains(all, "effort") || !strings.Contains(all, "max-output-tokens") {
			t.Errorf("%s: %v, told %q", words, err, notes)
		}
	}
}

// TestLessonsEnd checks that a refusal without a new lesson is returned as an error.
func TestLessonsEnd(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn {
		return llmtest.Fail(400, `{"error":{"message":"reasoning_content: stream_options: thought_signature"}}`)
	})
	client, _ := newClient(t, srv)
	_, err := collect(t.Context(), client, ask("hi"))
	if failure(t, err).Kind != llm.BadRequest || len(srv.Requests()) > 6 {
		t.Errorf("%v after %d requests", err, len(srv.Requests()))
	}
}

// TestThinkTagsComeBack checks that MiniMax receives its thinking at its original position.
func TestThinkTagsComeBack(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{"api.minimax.io": "<think>hm</think>\n\nlooking", "api.example.com": "looking"} {
		srv := llmtest.New(t, llmtest.Say("<think>hm</think>", "looking").Call("f", `{}`), llmtest.Say("ok"))
		client := vendorClient(t, srv, host)
		req := llmtest.Question("hi")
		req.Model = "m2"
		req.History = append(req.History, answered(llmtest.Collect(t.Context(), t, client, req))...)
		llmtest.Collect(t.Context(), t, client, req)
		messages := srv.Requests()[1].Messages
		if got := messages[len(messages)-2].Content; got != want {
			t.Errorf("%s got %q, want %q", host, got, want)
		}
	}
}

// TestSettingsThatModelsRefuse checks that a setting that the model refuses is omitted, and that
// the user reads a note.
func TestSettingsThatModelsRefuse(t *testing.T) {
	t.Parallel()
	some := 0.5
	for refusal, want := range map[string]struct{ gone, note string }{
		"Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.": {"temperature top_p", "temperature"},
		"Unsupported parameter: 'top_p' is not supported with this model.":                                                {"temperature top_p", "temperature"},
		"temperature is deprecated for this model.":                                                                       {"temperature top_p", "temperature"},
		"Unrecognized request argument supplied: reasoning_effort":                                                        {"reasoning_effort", "reasoning.effort"},
		"Unsupported value: 'reasoning_effort' does not support 'high' with this model. Supported values are: 'low'.":     {"reasoning_effort", "reasoning.effort"},
		"System role not supported": {"", ""},
	} {
		srv := llmtest.New(t, llmtest.Fail(400, fmt.Sprintf(`{"error":{"message":%q}}`, refusal)), llmtest.Say("one"), llmtest.Say("two"))
		client, _ := newClient(t, srv)
		req := llmtest.Question("hi")
		req.System, req.Temperature, req.TopP, req.ReasoningEffort = "be brief", &some, &some, "high"
		first := llmtest.Collect(t.Context(), t, client, req)
		second := llmtest.Collect(t.Context(), t, client, req)
		if first.Text != "one" || second.Text != "two" || len(second.Notes) > 0 || !strings.Contains(strings.Join(first.Notes, ""), want.note) {
			t.Errorf("%s: %+v, then %+v", refusal, first, second)
		}
		for i, request := range srv.Requests() {
			for _, field := range strings.Fields("temperature top_p reasoning_effort") {
				if _, has := request.Fields[field]; has != (i == 0 || !strings.Contains(want.gone, field)) {
					t.Errorf("%s: request %d has %s: %v", refusal, i, field, has)
				}
			}
			if begins := request.Messages[0].Role; want.gone == "" && i > 0 && begins != "user" {
				t.Errorf("request %d begins with %s", i, begins)
			}
		}
	}
	// A value that no model accepts is reported as an error.
	client, _ := newClient(t, llmtest.New(t, llmtest.Fail(400, `{"error":{"message":"temperature must be below 2"}}`)))
	req := llmtest.Question("hi")
	req.Temperature = &some
	if _, err := collect(t.Context(), client, req); err == nil || !strings.Contains(err.Error(), "below 2") {
		t.Error(err)
	}
}
