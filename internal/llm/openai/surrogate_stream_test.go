package openai_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"agent/internal/llm"
	"agent/internal/testing/llmtest"
)

// escapes returns the pieces of a server that sends each half of a surrogate pair separately.
func escapes(text string) []string {
	var pieces []string
	for _, unit := range utf16.Encode([]rune(text)) {
		pieces = append(pieces, fmt.Sprintf("\\u%04x", unit))
	}
	return pieces
}

// If two events contain the halves of a surrogate pair, the character is joined, in text and in
// arguments of calls. A single half is replaced. An escaped backslash does not begin an escape.
func TestSplitSurrogates(t *testing.T) {
	t.Parallel()
	const text = `a😀 \ud83d "🇩🇪" é`
	content := llmtest.Turn{}
	for _, piece := range append(escapes(text), "\\uD83D", "x") {
		content = content.Event(`{"choices":[{"delta":{"content":"` + piece + `"}}]}`)
	}
	arguments := llmtest.Turn{}.Event(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f"}}]}}]}`)
	for _, piece := range escapes(`{"p":"` + strings.ReplaceAll(text, `"`, "'") + `"}`) {
		arguments = arguments.Event(`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"` + piece + `"}}]}}]}`)
	}
	for name, turn := range map[string]llmtest.Turn{"text": content.Finish("stop"), "arguments": arguments.Finish("tool_calls")} {
		client, _ := newClient(t, llmtest.New(t, turn))
		said, called := "", ""
		for chunk, err := range client.Stream(t.Context(), ask("hi")) {
			if err != nil {
				t.Fatal(err)
			}
			switch chunk := chunk.(type) {
			case llm.Text:
				said += chunk.Delta
			case llm.ToolCall:
				called += chunk.Arguments
			}
		}
		if want := text + "x"; name == "text" && said != want {
			t.Errorf("said %q, want %q", said, want)
		}
		if want := `{"p":"` + strings.ReplaceAll(text, `"`, "'") + `"}`; name == "arguments" && called != want {
			t.Errorf("called with %q, want %q", called, want)
		}
	}
}
