package openai_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/sashabaranov/go-openai"
	"pgregory.net/rapid"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/testing/llmtest"
)

func call(id, name, parameters string) *history.ToolCall {
	return &history.ToolCall{ID: id, Name: name, Parameters: json.RawMessage(parameters)}
}

func answer(id, result string) *history.ToolResponse {
	return &history.ToolResponse{CallID: id, ToolName: "f", Result: history.TextResult(result)}
}

func text(s string) *history.Text { return &history.Text{Text: s} }

func exit(code int) *int { return &code }

// messagesOf returns the messages array of a request with the entries.
func messagesOf(entries ...*history.Content) string {
	body := openai.EncodeRequest(llm.Request{Model: "m", History: entries})
	_, list, _ := bytes.Cut(body, []byte(`"messages":`))
	return strings.TrimSuffix(string(list), "}")
}

func TestMessages(t *testing.T) {
	t.Parallel()
	const (
		fCall   = `{"role":"assistant","content":null,"tool_calls":[{"type":"function","id":"a","function":{"name":"f","arguments":"{}"}}]}`
		fAnswer = `{"role":"tool","tool_call_id":"a","content":"ok"}`
	)
	tests := []struct {
		name    string
		entries []*history.Content
		want    string
	}{
		{"text", []*history.Content{history.HumanText("hi")}, `[{"role":"user","content":"hi"}]`},
		{
			"text blocks are joined, inclusions keep their markers (D-18)",
			[]*history.Content{history.New(history.Human, text("look"), &history.Text{Text: "--- a ---\nx\n--- End of content ---", IncludedFile: "a"})},
			`[{"role":"user","content":"look\n--- a ---\nx\n--- End of content ---"}]`,
		},
		{
			"consecutive human entries stay apart",
			[]*history.Content{history.HumanText("a"), history.HumanText("b")},
			`[{"role":"user","content":"a"},{"role":"user","content":"b"}]`,
		},
		{
			"images are data URLs, other media a note",
			[]*history.Content{history.New(history.Human, text("see"), &history.Media{MimeType: "image/png", Data: "QUJD"}, &history.Media{MimeType: "audio/wav", Data: "QQ"})},
			`[{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,QUJD"}},{"type":"text","text":"(omitted: an attachment of type audio/wav, which the API does not support)"}]}]`,
		},
		{
			"an image alone",
			[]*history.Content{history.New(history.Human, &history.Media{MimeType: "image/png", Data: "QUJD"})},
			`[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,QUJD"}}]}]`,
		},
		{
			"text and calls are one message, thinking stays",
			[]*history.Content{
				history.New(history.AI, &history.Thinking{Thought: "hm"}, text("Looking."), call("a", "f", `{"x":"<&>"}`)),
				history.New(history.Tool, answer("a", "ok")),
			},
			`[{"role":"assistant","content":"Looking.","tool_calls":[{"type":"function","id":"a","function":{"name":"f","arguments":"{\"x\":\"<&>\"}"}}]},` + fAnswer + `]`,
		},
		{
			"entries that say nothing are not sent",
			[]*history.Content{
				history.New(history.AI, &history.Thinking{Thought: "hm"}),
				history.HumanText(" \n"), history.New(history.Human), history.HumanText("x"),
			},
			`[{"role":"user","content":"x"}]`,
		},
		{
			"blank text beside a call is no content",
			[]*history.Content{history.New(history.AI, text(" \n"), call("a", "f", `{}`)), history.New(history.Tool, answer("a", "ok"))},
			"[" + fCall + "," + fAnswer + "]",
		},
		{
			"several answers in one entry",
			[]*history.Content{
				history.New(history.AI, call("a", "f", `{}`), call("b", "f", `{}`)),
				history.New(history.Tool, answer("a", "1"), answer("b", "2")),
			},
			`[{"role":"assistant","content":null,"tool_calls":[{"type":"function","id":"a","function":{"name":"f","arguments":"{}"}},{"type":"function","id":"b","function":{"name":"f","arguments":"{}"}}]},` +
				`{"role":"tool","tool_call_id":"a","content":"1"},{"role":"tool","tool_call_id":"b","content":"2"}]`,
		},
		{
			"an id that comes again is another call (D-11)",
			[]*history.Content{
				history.New(history.AI, call("a", "f", `{}`)), history.New(history.Tool, answer("a", "ok")),
				history.New(history.AI, call("a", "f", `{}`)), history.New(history.Tool, answer("a", "ok")),
			},
			"[" + fCall + "," + fAnswer + "," + strings.ReplaceAll(fCall, `"a"`, `"a_2"`) + "," + strings.ReplaceAll(fAnswer, `"a"`, `"a_2"`) + "]",
		},
		{
			"a call without an id gets one",
			[]*history.Content{history.New(history.AI, call("", "f", `{}`)), history.New(history.Tool, answer("", "ok"))},
			"[" + strings.ReplaceAll(fCall, `"a"`, `"call"`) + "," + strings.ReplaceAll(fAnswer, `"a"`, `"call"`) + "]",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, messagesOf(tt.entries...)); diff != "" {
				t.Error(diff)
			}
			if err := llmtest.Validate(openai.EncodeRequest(llm.Request{Model: "m", History: tt.entries})); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestToolAnswersAreNeverEmpty(t *testing.T) {
	t.Parallel()
	var list history.Result
	if err := json.Unmarshal([]byte(`[1, 2]`), &list); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		response history.ToolResponse
		want     string
	}{
		{history.ToolResponse{}, "(no output)"},
		{history.ToolResponse{Result: history.TextResult(" \n")}, "(no output)"},
		{history.ToolResponse{Result: list}, "[1,2]"},
		{history.ToolResponse{Result: history.TextResult("out\n")}, "out\n"},
		{history.ToolResponse{ExitCode: exit(0)}, "(no output)\nExit code: 0"},
		{history.ToolResponse{Result: history.TextResult("out"), ExitCode: exit(1)}, "out\nExit code: 1"},
		{history.ToolResponse{Result: history.TextResult("out\n[exit 0 after 1s]"), ExitCode: exit(0)}, "out\n[exit 0 after 1s]"},
		{history.ToolResponse{Result: history.TextResult("out\n[exit 0 after 1s]\n[a note]"), ExitCode: exit(0)}, "out\n[exit 0 after 1s]\n[a note]"},
		{history.ToolResponse{Result: history.TextResult("[a note]"), ExitCode: exit(1)}, "[a note]\nExit code: 1"},
		{history.ToolResponse{Result: history.TextResult("out"), Error: "the command failed: exit 2 after 1s", ExitCode: exit(2)}, "out\nError: the command failed: exit 2 after 1s"},
		{history.ToolResponse{Result: history.TextResult("says exit 1\nout"), ExitCode: exit(1)}, "says exit 1\nout\nExit code: 1"},
		{history.ToolResponse{Error: "no such file"}, "Error: no such file"},
		{history.ToolResponse{Result: history.TextResult("half"), Error: "timeout", ExitCode: exit(137)}, "half\nExit code: 137\nError: timeout"},
	} {
		if got := openai.ResponseText(&tt.response); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.response, got, tt.want)
		}
	}
}

func TestArgumentsAreAlwaysAnObject(t *testing.T) {
	t.Parallel()
	for parameters, want := range map[string]string{
		``:             `{}`,
		`null`:         `{}`,
		`{"a":1}`:      `{"a":1}`,
		`"{\"a\": 1,"`: `{"malformed_arguments":"{\"a\": 1,"}`,
		`[1]`:          `{"malformed_arguments":[1]}`,
		`7`:            `{"malformed_arguments":7}`,
	} {
		if got := string(openai.Arguments(call("a", "f", parameters))); got != want {
			t.Errorf("%q: got %s, want %s", parameters, got, want)
		}
	}
}

func TestFunctionNamesAreAcceptable(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"read_file":              "read_file",
		"functions.read-file":    "functions_read-file",
		"":                       "unknown",
		"läs":                    "l_s",
		strings.Repeat("x", 100): strings.Repeat("x", 64),
	} {
		if got := openai.FunctionName(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestRequestOptions(t *testing.T) {
	t.Parallel()
	zero, some := 0.0, 0.95
	body := openai.EncodeRequest(llm.Request{
		Model: "openai/gpt-5.1", System: "be brief", History: []*history.Content{history.HumanText("hi")},
		Tools:           []llm.ToolSpec{{Name: "f", Description: "does \"f\"", Schema: json.RawMessage(`{"type":"object"}`)}, {Name: "g"}},
		MaxOutputTokens: 100, Temperature: &zero, TopP: &some, ReasoningEffort: "low",
	})
	want := `{"model":"openai/gpt-5.1","stream":true,"stream_options":{"include_usage":true},"max_completion_tokens":100,"temperature":0,"top_p":0.95,"reasoning_effort":"low",` +
		`"tools":[{"type":"function","function":{"name":"f","description":"does \"f\"","parameters":{"type":"object"}}},{"type":"function","function":{"name":"g","description":"","parameters":{"type":"object","properties":{}}}}],` +
		`"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hi"}]}`
	if diff := cmp.Diff(want, string(body)); diff != "" {
		t.Error(diff)
	}
	plain := openai.EncodeIn(openai.Dialect{OmitUsage: true}, llm.Request{Model: "llama", History: []*history.Content{history.HumanText("hi")}, MaxOutputTokens: 5})
	if diff := cmp.Diff(`{"model":"llama","stream":true,"max_tokens":5,"messages":[{"role":"user","content":"hi"}]}`, string(plain)); diff != "" {
		t.Error(diff)
	}
}

// genHistory draws a valid history (D-32) with repeated ids, unusual parameters and every kind of
// block.
func genHistory(t *rapid.T) []*history.Content {
	words := rapid.StringOf(rapid.RuneFrom([]rune("ab \n\"\\<&>é世\u2028\x00\x1b\U0001F600")))
	var entries []*history.Content
	for range rapid.IntRange(1, 12).Draw(t, "turns") {
		entries = append(entries, history.New(history.Human, text("q"+words.Draw(t, "question")), text(words.Draw(t, "more"))))
		var calls, answers []history.Block
		for n := range rapid.IntRange(0, 3).Draw(t, "calls") {
			id := fmt.Sprint(rapid.SampledFrom([]string{"a", "b", "a_2"}).Draw(t, "id"), n)
			parameters := rapid.SampledFrom([]string{`{"p":"x"}`, `null`, `"broken {"`, `[1]`, `{}`}).Draw(t, "parameters")
			calls = append(calls, call(id, words.Draw(t, "name"), parameters))
			answers = append(answers, answer(id, words.Draw(t, "result")))
		}
		entries = append(entries, history.New(history.AI, append([]history.Block{text(words.Draw(t, "reply"))}, calls...)...))
		if len(answers) > 0 {
			entries = append(entries, history.New(history.Tool, answers...))
		}
	}
	return entries
}

func TestRequestsAreValidAndDeterministic(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		req := llm.Request{Model: "m", System: "s", History: genHistory(t)}
		body := openai.EncodeRequest(req)
		if err := llmtest.Validate(body); err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		if !bytes.Equal(body, openai.EncodeRequest(req)) {
			t.Fatal("the same request gave other bytes")
		}
	})
}

// TestRequestsGrowAtTheirEnd checks that a longer history only appends to the request. A prompt
// cache finds a prefix only if its bytes do not change.
func TestRequestsGrowAtTheirEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		entries := genHistory(t)
		all := openai.EncodeRequest(llm.Request{Model: "m", System: "s", History: entries})
		n := rapid.IntRange(0, len(entries)).Draw(t, "n")
		part := openai.EncodeRequest(llm.Request{Model: "m", System: "s", History: entries[:n]})
		if part = bytes.TrimSuffix(part, []byte("]}")); !bytes.HasPrefix(all, part) {
			t.Fatalf("the request for %d of %d entries is not the beginning of the whole:\n%s\n%s", n, len(entries), part, all)
		}
	})
}

// longHistory returns a coding session of about 200,000 tokens (800 KB).
func longHistory() []*history.Content {
	line := "\tif err := store.Save(ctx, entry); err != nil { return fmt.Errorf(\"save %s: %w\", entry.ID, err) }\n"
	var entries []*history.Content
	for size := 0; size < 800_000; size += 40 * len(line) {
		id := fmt.Sprint("call_", size)
		entries = append(entries, history.HumanText("go on"),
			history.New(history.AI, text("Reading."), call(id, "read_file", `{"file_path":"internal/store/store.go"}`)),
			history.New(history.Tool, answer(id, strings.Repeat(line, 40))))
	}
	return entries
}

// BenchmarkEncodeRequest measures encoding a history of 200,000 tokens as a request body. The limit
// is 5 ms. It also measures the encoder of the library, for comparison.
func BenchmarkEncodeRequest(b *testing.B) {
	req := llm.Request{Model: "m", System: strings.Repeat("Be brief. ", 500), History: longHistory()}
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			b.SetBytes(int64(len(openai.EncodeRequest(req))))
		}
	})
	b.Run("library", func(b *testing.B) {
		var request sdk.ChatCompletionRequest
		if err := json.Unmarshal(openai.EncodeRequest(req), &request); err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			body, err := json.Marshal(request)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(body)))
		}
	})
}

// Images in the answers of tools follow the last answer of the reply, because no other message may
// be between the answers. Later entries do not change their encoding.
func TestImagesOfAnswers(t *testing.T) {
	t.Parallel()
	image := &history.Media{MimeType: "image/png", Data: "AAAA"}
	entries := []*history.Content{
		history.HumanText("go"),
		history.New(history.AI, call("a", "f", `{}`), call("b", "g", `{}`)),
		history.New(history.Tool, answer("a", "one"), image),
		history.New(history.Tool, answer("b", "two"), &history.Text{Text: "[an image was here]"}),
	}
	short := messagesOf(entries...)
	long := messagesOf(append(entries, history.New(history.AI, &history.Text{Text: "I see"}))...)
	tail := short[strings.Index(short, `"content":"two"`):]
	if strings.Count(short, `"image_url":{"url":"data:image/png;base64,AAAA"}`) != 1 || !strings.Contains(tail, `"role":"user"`) || !strings.Contains(tail, "base64") || !strings.Contains(tail, "[an image was here]") {
		t.Errorf("%s", short)
	}
	if !strings.HasPrefix(long, strings.TrimSuffix(short, "]")) {
		t.Errorf("what was sent changes:\n%s\n%s", short, long)
	}
}
