package chat

import (
	"errors"
	"strings"
	"testing"

	"agent/internal/history"
	"agent/internal/llm"
)

// TestCallsInWords checks a call that the server did not recognize. The call does not run and its
// text is not an answer. A notice reports it, and a script does not continue with it.
func TestCallsInWords(t *testing.T) {
	t.Parallel()
	for said, called := range map[string]bool{
		"<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"file_path\": \"a\"}}\n</tool_call>":          true,
		"I look.\n<tool_call>{\"name\":\"read_file\",\"arguments\":{}}":                                        true,
		"[TOOL_CALLS][{\"name\": \"read_file\", \"arguments\": {}}]":                                           true,
		"[TOOL_CALLS]read_file{\"file_path\": \"a\"}":                                                          true,
		"<function=read_file>{\"file_path\": \"a\"}</function>":                                                true,
		"<tool_call>\n<function=read_file>\n<parameter=file_path>\na\n</parameter>\n</function>\n</tool_call>": true,
		"<tool_call>read_file\n<arg_key>file_path</arg_key>":                                                   true,
		"<invoke name=\"read_file\">":                                                                          true,
		"<|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{}":                               true,
		"<｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n":                                                   true,
		"<tool_call>{\"name\":\"no_such_tool\"}</tool_call>":                                                   false,
		"Models write `<tool_call>{\"name\":\"read_file\"}</tool_call>`.":                                      false,
		"So:\n```\n<tool_call>{\"name\":\"read_file\"}</tool_call>\n```\n":                                     false,
		"a < b, and [1]": false,
	} {
		for _, unattended := range []bool{false, true} {
			b := newBench(t, say(said))
			b.config.Policy.Unattended = unattended
			b.renew()
			out, err := b.prompt("go")
			var written *writtenCallError
			switch notices := seen[Notice](b); {
			case errors.As(err, &written) != (called && unattended):
				t.Errorf("%q: %v", said, err)
			case !unattended && (len(notices) == 1 && strings.Contains(notices[0].Text, "Not run:")) != called:
				t.Errorf("%q: told %v", said, notices)
			case out.ToolCalls > 0:
				t.Errorf("%q was run", said)
			}
		}
	}
}

// TestTextWasThinking checks that text which turns out to be reasoning is not part of the answer.
func TestTextWasThinking(t *testing.T) {
	t.Parallel()
	b := newBench(t, respond(llm.Text{Delta: "hm"}, llm.TextWasReasoning{}, llm.Reasoning{Delta: ", so"}, llm.Text{Delta: "hi"}, llm.Finish{Reason: "stop"}))
	out, err := b.prompt("go")
	if err != nil || out.Response != "hi" || len(seen[TextWasThinking](b)) != 1 {
		t.Fatalf("%+v %v", out, err)
	}
	if got := b.config.History.RawHistory()[1].Blocks[0]; got.(*history.Thinking).Thought != "hm, so" {
		t.Errorf("thought %+v", got)
	}
}
