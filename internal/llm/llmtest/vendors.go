package llmtest

import (
	"fmt"
	"net/http"
	"regexp"
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
