package llmtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Script returns the turn for a request, as the argument of NewFunc does.
type Script func(*Request) Turn

// Vendor makes the server of a script as strict as the vendor's documentation. The server refuses
// the same requests, and attaches the vendor's data to every reply. Scripts must set the IDs of
// their calls with Turn.CallID.
type Vendor struct {
	Name string
	// Host is the host of the vendor's API, and Model one of its models.
	Host, Model string
	// Strict returns a script that applies the vendor's rules to script.
	Strict func(script Script) Script
}

// Vendors returns the vendors whose rules this package contains.
func Vendors() []Vendor {
	return []Vendor{
		{"DeepSeek V4", "api.deepseek.com", "deepseek-v4-pro", deepSeek},
		{"Gemini 3", "generativelanguage.googleapis.com", "gemini-3-pro", gemini},
		{"GPT-5.6", "api.openai.com", "gpt-5.6", gpt},
		{"Claude through OpenRouter", "openrouter.ai", "anthropic/claude-opus-5", claudeThroughOpenRouter},
		{"Mistral", "api.mistral.ai", "devstral-medium", mistral},
		{"Ollama", "localhost:11434", "qwen3:8b", ollama},
	}
}

// issued maps call IDs to the data that a vendor attached to these calls.
type issued struct{ sync.Map }

// attach stores the data that is attached to the calls of a turn.
func (m *issued) attach(t Turn, attached string) {
	for _, id := range t.ids {
		m.Store(id, attached)
	}
}

// of returns the data attached to a call. ok is false for a call that this server did not send.
func (m *issued) of(id string) (attached string, ok bool) {
	value, ok := m.Load(id)
	attached, _ = value.(string)
	return attached, ok
}

// checked returns a script that refuses a request if check returns a reason.
func checked(check func(*Request) string, script Script) Script {
	return func(r *Request) Turn {
		if reason := check(r); reason != "" {
			return Fail(http.StatusBadRequest, fmt.Sprintf(`{"error":{"message":%s,"type":"invalid_request_error"}}`, quote(reason)))
		}
		return script(r)
	}
}

// withCalls calls check for every assistant message with calls. It stops at the first reason to
// refuse and returns it.
func withCalls(r *Request, check func(m Message, first ToolCall) string) string {
	for _, m := range r.Messages {
		if len(m.ToolCalls) > 0 {
			if reason := check(m, m.ToolCalls[0]); reason != "" {
				return reason
			}
		}
	}
	return ""
}

// unknownMember returns the first of names that occurs as a member in a request.
func unknownMember(r *Request, names ...string) string {
	for _, name := range names {
		if strings.Contains(string(r.Body), `"`+name+`":`) {
			return name
		}
	}
	return ""
}

// badID returns the first call ID that does not match form.
func badID(r *Request, form *regexp.Regexp) string {
	for _, m := range r.Messages {
		for _, call := range m.ToolCalls {
			if !form.MatchString(call.ID) {
				return call.ID
			}
		}
	}
	return ""
}

// deepSeek returns reasoning by default. It requires reasoning_content in every assistant message
// with calls; the value may be empty.
func deepSeek(script Script) Script {
	var sent issued
	check := func(r *Request) string {
		return withCalls(r, func(m Message, first ToolCall) string {
			reasoning, there := m.Text("reasoning_content")
			if want, own := sent.of(first.ID); !there || own && reasoning != want {
				return "The `reasoning_content` in the thinking mode must be passed back to the API."
			}
			return ""
		})
	}
	return checked(check, func(r *Request) Turn {
		thought := fmt.Sprintf("thinking about request %d", r.Number)
		turn := script(r)
		sent.attach(turn, thought)
		return turn.first(Think(thought))
	})
}

// gemini signs the first call of every reply. The client must return the signature on that call, or
// the word for a missing signature. It refuses unknown members.
func gemini(script Script) Script {
	const skip = "skip_thought_signature_validator"
	var sent issued
	check := func(r *Request) string {
		return cmp.Or(geminiRequest(r), withCalls(r, func(_ Message, first ToolCall) string {
			var extra struct {
				Google struct {
					Signature string `json:"thought_signature"`
				}
			}
			_ = json.Unmarshal(first.Extra, &extra)
			want, own := sent.of(first.ID)
			switch got := extra.Google.Signature; {
			case got == "":
				return "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly."
			case own && got != want, !own && got != skip:
				return "Corrupted thought signature."
			}
			return ""
		}))
	}
	return checked(check, func(r *Request) Turn {
		signature := fmt.Sprintf("signature %d", r.Number)
		turn := script(r)
		sent.attach(turn.firstCall(), signature)
		return turn.WithExtraContent(fmt.Sprintf(`{"google":{"thought_signature":%s}}`, quote(signature)))
	})
}

// geminiRequest refuses members and schema keywords that Google does not support, and calls that
// follow neither the user nor an answer.
func geminiRequest(r *Request) string {
	if name := unknownMember(r, "reasoning_content", "reasoning", "reasoning_details", "prompt_cache_key", "prompt_cache_breakpoint", "session_id", "cache_control"); name != "" {
		return fmt.Sprintf("Invalid JSON payload received. Unknown name %q: Cannot find field.", name)
	}
	for _, tool := range r.Tools {
		if keyword := geminiKeyword.FindString(string(tool.Parameters)); keyword != "" {
			return fmt.Sprintf("Invalid JSON payload received. Unknown name %s at 'tools[0].function_declarations[0].parameters'", keyword)
		}
	}
	before := ""
	for _, m := range r.Messages {
		if len(m.ToolCalls) > 0 && before != "user" && before != "tool" {
			return "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
		}
		before = m.Role
	}
	return ""
}

var geminiKeyword = regexp.MustCompile(`"(?:\$schema|\$ref|\$defs|patternProperties|exclusiveMinimum|exclusiveMaximum|const|if|then)":|"type":\s*\[`)

// gpt accepts tools on chat completions only without reasoning. On the Responses API, a call must
// follow the reasoning that led to it, in readable form.
func gpt(script Script) Script {
	var sent issued
	check := func(r *Request) string {
		if reason := gptRequest(r); reason != "" {
			return reason
		}
		if r.API == Chat {
			if effort := string(r.Fields["reasoning_effort"]); len(r.Tools) > 0 && effort != `"none"` {
				return "Function tools with reasoning_effort are not supported for " + r.Model + " in /v1/chat/completions. Please use /v1/responses instead."
			}
			return ""
		}
		if !strings.Contains(string(r.Fields["include"]), "reasoning.encrypted_content") {
			return "reasoning items are not kept with store set to false; include reasoning.encrypted_content"
		}
		for _, m := range r.Messages {
			if reason := sent.refusesReasoning(m); reason != "" {
				return reason
			}
		}
		return ""
	}
	return checked(check, func(r *Request) Turn {
		thought := fmt.Sprintf("thinking about request %d", r.Number)
		turn := script(r)
		sent.attach(turn, encrypted(thought))
		sent.Store(encrypted(thought), "")
		return turn.first(Think(thought))
	})
}

// gptRequest refuses parameters that OpenAI does not support, or does not support for reasoning
// models. It also refuses IDs that are too long.
func gptRequest(r *Request) string {
	const longestKey, leastOutput = 64, 16
	if name := unknownMember(r, "reasoning_content", "reasoning_details", "extra_content", "session_id", "cache_control", "max_tokens", "temperature", "top_p"); name != "" {
		return fmt.Sprintf("Unknown parameter: '%s'.", name)
	}
	form := gptChatID
	if r.API == Responses {
		form = gptResponsesID
	}
	if id := badID(r, form); id != "" {
		return fmt.Sprintf("Invalid 'messages[2].tool_calls[0].id': %q is too long.", id)
	}
	var key string
	_ = json.Unmarshal(r.Fields["prompt_cache_key"], &key)
	if len(key) > longestKey {
		return "Invalid 'prompt_cache_key': string too long."
	}
	var most int
	if json.Unmarshal(r.Fields["max_output_tokens"], &most) == nil && most < leastOutput {
		return "Invalid 'max_output_tokens': integer below minimum value."
	}
	return ""
}

var (
	gptChatID      = regexp.MustCompile(`^.{1,40}$`)
	gptResponsesID = regexp.MustCompile(`^.{1,64}$`)
	claudeID       = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
	mistralID      = regexp.MustCompile(`^[a-zA-Z0-9]{9}$`)
)

// refusesReasoning returns the reason for refusing the reasoning items of a message, or "".
func (m *issued) refusesReasoning(message Message) string {
	there := map[string]bool{}
	for _, raw := range message.Reasoning {
		var item struct {
			Encrypted string `json:"encrypted_content"`
		}
		_ = json.Unmarshal(raw, &item)
		if _, given := m.Load(item.Encrypted); !given {
			return "The encrypted content could not be verified."
		}
		there[item.Encrypted] = true
	}
	for _, call := range message.ToolCalls {
		if want, own := m.of(call.ID); own && !there[want] {
			return fmt.Sprintf("Item of type 'function_call' (%s) was provided without its required 'reasoning' item.", call.ID)
		}
	}
	return ""
}

// claudeThroughOpenRouter signs its thinking in reasoning_details. The client must return them
// unchanged with the calls that follow them. It accepts at most four cache marks.
func claudeThroughOpenRouter(script Script) Script {
	const most = 4
	var sent issued
	check := func(r *Request) string {
		if n := strings.Count(string(r.Body), `"cache_control":`); n > most {
			return fmt.Sprintf("A maximum of %d blocks with cache_control may be provided. Found %d.", most, n)
		}
		if id := badID(r, claudeID); id != "" {
			return fmt.Sprintf("messages.1.content.0.tool_use.id: String should match pattern '%s', got %q", claudeID, id)
		}
		if strings.Contains(string(r.Body), `"text":""`) {
			return "messages: text content blocks must be non-empty"
		}
		if last := r.Last(); last.Role == "assistant" {
			return "This model does not support assistant message prefill. The conversation must end with a user message."
		}
		return withCalls(r, func(m Message, first ToolCall) string {
			var details []struct{ Text, Signature string }
			_ = json.Unmarshal(m.Fields["reasoning_details"], &details)
			want, own := sent.of(first.ID)
			switch {
			case !own && len(details) > 0:
				return "Invalid `signature` in `thinking` block"
			case own && (len(details) != 1 || details[0].Signature != "signed "+want || details[0].Text != want):
				return "Expected `thinking` or `redacted_thinking`, but found `tool_use`."
			}
			return ""
		})
	}
	return checked(check, func(r *Request) Turn {
		thought := fmt.Sprintf("thinking about request %d", r.Number)
		turn := script(r).renamed("toolu_%09x")
		sent.attach(turn, thought)
		detail := `[{"type":"reasoning.text","index":0,"format":"anthropic-claude-v1",%s}]`
		return turn.first(Turn{}.
			Details(fmt.Sprintf(detail, `"text":`+quote(thought[:5]))).Details(fmt.Sprintf(detail, `"text":`+quote(thought[5:]))).
			Details(fmt.Sprintf(detail, `"signature":`+quote("signed "+thought))))
	})
}

// mistral accepts only call IDs of nine letters and digits. It refuses a user message directly
// after a tool message, and unknown members.
func mistral(script Script) Script {
	check := func(r *Request) string {
		for name := range r.Fields {
			if !slices.Contains(mistralMembers, name) {
				return name + ": Extra inputs are not permitted"
			}
		}
		if name := unknownMember(r, "reasoning_content", "reasoning", "reasoning_details", "extra_content", "cache_control"); name != "" {
			return name + ": Extra inputs are not permitted"
		}
		if id := badID(r, mistralID); id != "" {
			return fmt.Sprintf("Tool call id was %s but must be a-z, A-Z, 0-9, with a length of 9.", id)
		}
		before := ""
		for _, m := range r.Messages {
			if before == "tool" && m.Role == "user" {
				return "Unexpected role 'user' after role 'tool'"
			}
			before = m.Role
		}
		return ""
	}
	return checked(check, func(r *Request) Turn { return script(r).renamed("%09x") })
}

var mistralMembers = []string{"model", "messages", "stream", "tools", "tool_choice", "max_tokens", "temperature", "top_p", "stop", "reasoning_effort", "parallel_tool_calls"}

// ollama sends every call in one piece and with index 0. It sends its thinking in the member
// reasoning.
func ollama(script Script) Script {
	return func(r *Request) Turn {
		return script(r).Whole().first(Turn{}.Event(`{"choices":[{"index":0,"delta":{"reasoning":"hm"},"finish_reason":null}]}`))
	}
}
