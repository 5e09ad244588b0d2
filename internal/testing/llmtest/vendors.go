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

// Script says the turn of every request, as NewFunc takes it.
type Script func(*Request) Turn

// Vendor makes the server of a script strict: it refuses what the vendor's
// documentation says is refused, and attaches to every reply what the vendor
// attaches. Scripts give their calls ids by Turn.CallID.
type Vendor struct {
	Name string
	// Host is where the vendor's own API is, Model one of its models.
	Host, Model string
	// Strict returns script with the vendor's rules around it.
	Strict func(script Script) Script
}

// Vendors are those whose rules are written down here.
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

// issued is what a vendor has attached, by the id of the call it belongs to.
type issued struct{ sync.Map }

// attach notes what is attached to the calls of a turn.
func (m *issued) attach(t Turn, attached string) {
	for _, id := range t.ids {
		m.Store(id, attached)
	}
}

// of returns what was attached to a call; ok is false for a call of others.
func (m *issued) of(id string) (attached string, ok bool) {
	value, ok := m.Load(id)
	attached, _ = value.(string)
	return attached, ok
}

// checked is a script that refuses a request for which check returns a reason.
func checked(check func(*Request) string, script Script) Script {
	return func(r *Request) Turn {
		if reason := check(r); reason != "" {
			return Fail(http.StatusBadRequest, fmt.Sprintf(`{"error":{"message":%s,"type":"invalid_request_error"}}`, quote(reason)))
		}
		return script(r)
	}
}

// withCalls calls check for every assistant message with calls until it returns a
// reason to refuse.
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

// unknownMember returns the first of names that is anywhere in a request.
func unknownMember(r *Request, names ...string) string {
	for _, name := range names {
		if strings.Contains(string(r.Body), `"`+name+`":`) {
			return name
		}
	}
	return ""
}

// badID returns the first id of a call that does not have the form of a vendor.
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

// deepSeek thinks by default. Every assistant message with calls must bring its
// reasoning_content back; the member must be there even if it is empty.
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

// gemini signs the first call of every reply. The signature must come back on it,
// or the word that says there is none; members it does not know are refused.
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
		return turn.Extra(fmt.Sprintf(`{"google":{"thought_signature":%s}}`, quote(signature)))
	})
}

// geminiRequest refuses members and keywords of schemas that Google does not know, and
// calls that follow neither the user nor an answer.
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

// gpt takes tools on chat completions only without reasoning. On the Responses API
// a call must follow the reasoning that led to it, which must be readable.
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

// gptRequest refuses parameters that OpenAI does not know, or not for a model that
// reasons, and ids that are too long.
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

// refusesReasoning returns why the reasoning items of a message are not taken.
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

// claudeThroughOpenRouter signs its thinking in reasoning_details, which must come
// back unchanged with the calls they led to, and takes four marks for the cache.
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

// mistral takes ids of nine letters and digits only, no user right after a tool, and no
// member that it does not know.
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

// ollama sends every call whole and with index 0, and its thinking as reasoning.
func ollama(script Script) Script {
	return func(r *Request) Turn {
		return script(r).Whole().first(Turn{}.Event(`{"choices":[{"index":0,"delta":{"reasoning":"hm"},"finish_reason":null}]}`))
	}
}
