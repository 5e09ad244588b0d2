package chat

import (
	"fmt"
	"strings"

	"agent/internal/pattern"
)

// writtenCalls are the forms in which models write a call where their server does not
// read it: Qwen's and Hermes', Mistral's, Llama's, MiniMax's, Kimi's and DeepSeek's. The
// name of the tool is in the group.
var writtenCalls = pattern.New(`(?:<tool_call>|\[TOOL_CALLS\]|<function=|<invoke name=|<\|tool_call_begin\|>|<｜tool▁call▁begin｜>)[\[{\s"]*(?:name"\s*:\s*")?(?:function<｜tool▁sep｜>|functions\.|<function=)?(\w+)`)

// quotedCode is what a reply shows and does not mean.
var quotedCode = pattern.New("(?s)```.*?(?:```|$)|`[^`\n]*`")

// writtenCallError says that a model has called a tool in words.
type writtenCallError struct{ tool string }

func (e *writtenCallError) Error() string {
	return fmt.Sprintf("the model wrote a call of %s as text, which its server should have read, so nothing was run; start the server with its parser of tool calls (llama-server: --jinja, vLLM: --enable-auto-tool-choice and --tool-call-parser), or use another model", e.tool)
}

// writtenCall is an error if a reply without calls calls a tool in its words. Such a
// call is never run: the words may have come out of a file.
func (in *replies) writtenCall(r *reply) error {
	text := r.text.String()
	if !strings.ContainsAny(text, "<[") {
		return nil
	}
	found := writtenCalls.FindStringSubmatch(quotedCode.ReplaceAllString(text, ""))
	if found == nil {
		return nil
	}
	if _, err := in.Tools.Get(found[1]); err != nil {
		return nil
	}
	return &writtenCallError{found[1]}
}
