package openai_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/testing/llmtest"
)

// TestThinkingInTheAnswer checks that text in think tags counts as thinking at the start of the
// answer or of one of its parts, however it is split. Tags elsewhere are text.
func TestThinkingInTheAnswer(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]struct{ thought, answer string }{
		"<think>hm</think>hi":                  {"hm", "hi"},
		"\n<think>\nhm, 1 < 2\n</think>\n\nhi": {"\nhm, 1 < 2\n", "hi"},
		"<think></think>hi":                    {"", "hi"},
		"<think>hm":                            {"hm", "hm"},
		"<think>hm</thin":                      {"hm</thin", "hm</thin"},
		"<thought>hm</thought>hi":              {"hm", "hi"},
		"<thinking>hm</thinking> hi":           {"hm", "hi"},
		"[THINK]hm[/THINK]hi":                  {"hm", "hi"},
		"<thing>hi":                            {"", "<thing>hi"},
		"<thi":                                 {"", "<thi"},
		" hi <think>hm</think>":                {"", " hi <think>hm</think>"},
		"<think>a</think>b <think>c</think>":   {"a", "b <think>c</think>"},
		"":                                     {"", ""},
	} {
		for _, size := range []int{1, 3, 100} {
			turn := llmtest.Turn{}
			for rest := said; rest != ""; rest = rest[min(size, len(rest)):] {
				turn = turn.Say(rest[:min(size, len(rest))])
			}
			client, _ := newClient(t, llmtest.New(t, turn.NoUsage()))
			got, err := collect(t.Context(), client, ask("hi"))
			var thought, answer string
			for _, chunk := range got {
				switch chunk := chunk.(type) {
				case llm.Reasoning:
					thought += chunk.Delta
				case llm.Text:
					answer += chunk.Delta
				}
			}
			if err != nil || thought != want.thought || answer != want.answer {
				t.Errorf("%q in pieces of %d: thought %q, answer %q, %v", said, size, thought, answer, err)
			}
		}
	}
	for said, want := range map[string]struct{ thought, answer, again string }{
		"hm\n</think>\n\nhi\n":                 {"hm\n", "hi\n", "hm\n"},
		"hm\n </think>hi":                      {"hm\n", "hi", "hm\n "},
		"</think>\nhi":                         {"", "hi", ""},
		"hm\n</think>":                         {"hm\n", "", "hm\n"},
		"hm\n</thin":                           {"", "hm\n</thin", ""},
		"hm\n</thinking>hi":                    {"", "hm\n</thinking>hi", ""},
		"the tag </think> ends it":             {"", "the tag </think> ends it", ""},
		"so:\n```\n</think>\n```\n":            {"", "so:\n```\n</think>\n```\n", ""},
		"so:\n<think>\nhm\n</think>\nhi":       {"", "so:\n<think>\nhm\n</think>\nhi", ""},
		"<think>hm</think>\nso:\n</think>\nhi": {"hm", "so:\n</think>\nhi", "hm"},
	} {
		for _, size := range []int{1, 3, 100} {
			turn := llmtest.Turn{}
			for rest := said; rest != ""; rest = rest[min(size, len(rest)):] {
				turn = turn.Say(rest[:min(size, len(rest))])
			}
			// In the second reply the client knows that the start has no opening tag.
			client, _ := newClient(t, llmtest.New(t, turn.NoUsage(), turn.NoUsage()))
			for _, thought := range []string{want.thought, want.again} {
				if got := llmtest.Collect(t.Context(), t, client, ask("hi")); got.Err != nil || strings.TrimSpace(got.Reasoning) != strings.TrimSpace(thought) || got.Text != want.answer {
					t.Errorf("%q in pieces of %d: thought %q, answer %q, %v", said, size, got.Reasoning, got.Text, got.Err)
				}
			}
		}
	}
	// Text after the closing tag is the answer.
	client, _ := newClient(t, llmtest.New(t, llmtest.Say("hm\n</think>\nhi"), llmtest.Say("at once"), llmtest.Say("again")))
	for _, want := range []string{"hi", "at once", "again"} {
		if got := llmtest.Collect(t.Context(), t, client, ask("hi")); got.Text != want {
			t.Errorf("answer %q, want %q", got.Text, want)
		}
	}
	const parts = `{"choices":[{"index":0,"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"hi"}]}}]}`
	const details = `{"choices":[{"index":0,"delta":{"reasoning_details":[{"type":"reasoning.summary","summary":"hm","index":0},{"type":"reasoning.encrypted","data":"x","index":1}]}}]}`
	client, _ = newClient(t, llmtest.New(t, llmtest.Turn{}.Event(parts).NoUsage(), llmtest.Turn{}.Event(details).Say("hi").NoUsage()))
	for range 2 {
		got, err := collect(t.Context(), client, ask("hi"))
		if diff := cmp.Diff([]llm.Chunk{llm.Reasoning{Delta: "hm"}, llm.Text{Delta: "hi"}, llm.Finish{Reason: "stop"}}, got); err != nil || diff != "" {
			t.Error(err, diff)
		}
	}
}
