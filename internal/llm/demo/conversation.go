package demo

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/sashabaranov/go-openai"

	"agent/internal/base/humanize"
	"agent/internal/base/lazyregexp"
)

// request has the fields of a chat completion request that the script reads.
type request struct {
	Model         string                         `json:"model"`
	Stream        bool                           `json:"stream"`
	StreamOptions openai.StreamOptions           `json:"stream_options"`
	Messages      []openai.ChatCompletionMessage `json:"messages"`
	Tools         []json.RawMessage              `json:"tools"`
}

// textOf returns the text of a message. Several parts are joined.
func textOf(m openai.ChatCompletionMessage) string {
	text := m.Content
	for _, part := range m.MultiContent {
		text += part.Text + "\n"
	}
	return text
}

// typed returns the words that the user typed in a message, without included files.
func typed(m openai.ChatCompletionMessage) string {
	text, _, _ := strings.Cut(textOf(m), "\n--- ")
	return strings.TrimSpace(text)
}

type conversation struct {
	messages []openai.ChatCompletionMessage
	facts    []fact
	// asked is the index of the user message to answer, or -1.
	asked int
}

// fact is a call that the script made earlier, with its answer.
type fact struct {
	// at is the index of the message with the call.
	at       int
	name     string
	args     map[string]any
	answer   string
	answered bool
}

// newConversation parses messages. It pairs calls and answers by position: an answer belongs to the
// latest call with its id.
func newConversation(messages []openai.ChatCompletionMessage) conversation {
	c := conversation{messages: messages, asked: -1}
	waiting := map[string]int{}
	for at, m := range messages {
		if m.Role == "user" {
			c.asked = at
		}
		for _, call := range m.ToolCalls {
			f := fact{at: at, name: call.Function.Name}
			// Malformed arguments are ignored; the call then names no file or command.
			_ = json.Unmarshal([]byte(call.Function.Arguments), &f.args)
			waiting[call.ID] = len(c.facts)
			c.facts = append(c.facts, f)
		}
		if i, ok := waiting[m.ToolCallID]; ok && m.Role == "tool" {
			c.facts[i].answer, c.facts[i].answered = textOf(m), true
		}
	}
	return c
}

// request returns the latest message of the user.
func (c conversation) request() string {
	if c.asked < 0 {
		return ""
	}
	return typed(c.messages[c.asked])
}

// since returns the answered calls after the message at index at.
func (c conversation) since(at int) []fact {
	var later []fact
	for _, f := range c.facts {
		if f.at > at && f.answered {
			later = append(later, f)
		}
	}
	return later
}

// latest returns the latest of facts that calls tool on subject.
func latest(facts []fact, tool, subject string) (fact, bool) {
	for _, f := range slices.Backward(facts) {
		if f.is(tool, subject) {
			return f, true
		}
	}
	return fact{}, false
}

// is reports whether f calls tool on subject, the file or command of the call.
func (f fact) is(tool, subject string) bool {
	if f.name != tool {
		return false
	}
	for _, key := range []string{"file_path", "command", "pattern", "path"} {
		if value, ok := f.args[key].(string); ok {
			return value == subject || key == "file_path" && path.Base(value) == subject
		}
	}
	return subject == ""
}

// failureMark begins the answer of a failed call.
const failureMark = "Error: "

// refusedWords matches the beginning of the error of a call that was refused or interrupted.
var refusedWords = lazyregexp.New(`(?i)^(the user refused|refused|not run|interrupted)\b`)

func (f fact) failed() bool { return strings.HasPrefix(f.answer, failureMark) }

func (f fact) refused() bool { return f.failed() && refusedWords.MatchString(f.problem()) }

// problem returns the first line of the error of a failed call.
func (f fact) problem() string { return strings.TrimPrefix(humanize.FirstLine(f.answer), failureMark) }

// gone reports whether a one-line note has replaced the answer in the context.
func (f fact) gone() bool {
	answer := strings.TrimSpace(f.answer)
	return strings.HasPrefix(answer, "[") && strings.HasSuffix(answer, "]") && !strings.Contains(answer, "\n")
}

// calls returns the tool calls of a reply in the form of the API, with ids that are new in the
// conversation.
func (c conversation) calls(reply reply) []openai.ToolCall {
	highest := 0
	for _, m := range c.messages {
		for _, call := range m.ToolCalls {
			if n, err := strconv.Atoi(strings.TrimPrefix(call.ID, "demo_")); err == nil {
				highest = max(highest, n)
			}
		}
	}
	var calls []openai.ToolCall
	for i, call := range reply.calls {
		calls = append(calls, openai.ToolCall{
			ID:       fmt.Sprintf("demo_%d", highest+1+i),
			Function: openai.FunctionCall{Name: call.tool, Arguments: call.arguments()},
		})
	}
	return calls
}
