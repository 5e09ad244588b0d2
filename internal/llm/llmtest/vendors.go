package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
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
		{"Ollama", "localhost:11434", "qwen3:8b", ollama},
	}
}

// issued is what a vendor has attached, by the id of the call it belongs to.
type issued struct {
	mu   sync.Mutex
	byID map[string]string
}

func newIssued() *issued { return &issued{byID: map[string]string{}} }

// attach notes what is attached to the calls of a turn.
func (m *issued) attach(t Turn, attached string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range t.ids {
		m.byID[id] = attached
	}
}

// of returns what was attached to a call; ok is false for a call of others.
func (m *issued) of(id string) (attached string, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	attached, ok = m.byID[id]
	return attached, ok
}

// refused is the 400 of a vendor.
func refused(format string, args ...any) Turn {
	return Fail(http.StatusBadRequest, fmt.Sprintf(`{"error":{"message":%s,"type":"invalid_request_error"}}`, quote(fmt.Sprintf(format, args...))))
}

// checked is a script that refuses a request for which check returns a reason.
func checked(check func(*Request) string, script Script) Script {
	return func(r *Request) Turn {
		if reason := check(r); reason != "" {
			return refused("%s", reason)
		}
		return script(r)
	}
}

// withCalls calls check for every assistant message with calls until it returns a
// reason to refuse.
func withCalls(r *Request, check func(m Message, first ToolCall) string) string {
	for _, m := range r.Messages {
		if len(m.ToolCalls) == 0 {
			continue
		}
		if reason := check(m, m.ToolCalls[0]); reason != "" {
			return reason
		}
	}
	return ""
}

// unknownMember returns the first of names that stands anywhere in a request.
func unknownMember(r *Request, names ...string) string {
	for _, name := range names {
		if strings.Contains(string(r.Body), `"`+name+`":`) {
			return name
		}
	}
	return ""
}

// deepSeek thinks by default. Every assistant message with calls must bring its
// reasoning_content back; the member must be there even if it is empty.
func deepSeek(script Script) Script {
	sent := newIssued()
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
	sent := newIssued()
	check := func(r *Request) string {
		if name := unknownMember(r, "reasoning_content", "reasoning", "reasoning_details", "prompt_cache_key", "session_id", "cache_control"); name != "" {
			return fmt.Sprintf("Invalid JSON payload received. Unknown name %q: Cannot find field.", name)
		}
		return withCalls(r, func(m Message, first ToolCall) string {
			var extra struct {
				Google struct {
					Signature string `json:"thought_signature"`
				} `json:"google"`
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
		})
	}
	return checked(check, func(r *Request) Turn {
		signature := fmt.Sprintf("signature %d", r.Number)
		turn := script(r)
		sent.attach(turn.firstCall(), signature)
		return turn.Extra(fmt.Sprintf(`{"google":{"thought_signature":%s}}`, quote(signature)))
	})
}

// gpt takes tools on chat completions only without reasoning. On the Responses API
// a call must follow the reasoning that led to it, which must be readable.
func gpt(script Script) Script {
	sent := newIssued()
	check := func(r *Request) string {
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
		return turn.first(Think(thought))
	})
}

// refusesReasoning returns why the reasoning items of a message are not taken.
func (m *issued) refusesReasoning(message Message) string {
	there := map[string]bool{}
	for _, raw := range message.Reasoning {
		var item struct {
			Encrypted string `json:"encrypted_content"`
		}
		if json.Unmarshal(raw, &item) != nil || !strings.HasPrefix(item.Encrypted, "ENC(") {
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
	sent := newIssued()
	check := func(r *Request) string {
		if n := strings.Count(string(r.Body), `"cache_control":`); n > most {
			return fmt.Sprintf("A maximum of %d blocks with cache_control may be provided. Found %d.", most, n)
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
		turn := script(r)
		sent.attach(turn, thought)
		detail := `[{"type":"reasoning.text","index":0,"format":"anthropic-claude-v1",%s}]`
		return turn.first(Turn{}.
			Details(fmt.Sprintf(detail, `"text":`+quote(thought[:5]))).Details(fmt.Sprintf(detail, `"text":`+quote(thought[5:]))).
			Details(fmt.Sprintf(detail, `"signature":`+quote("signed "+thought))))
	})
}

// ollama sends every call whole and with index 0, and its thinking as reasoning.
func ollama(script Script) Script {
	return func(r *Request) Turn {
		return script(r).Whole().first(Turn{}.Event(`{"choices":[{"index":0,"delta":{"reasoning":"hm"},"finish_reason":null}]}`))
	}
}

// Transport brings every request to srv, whatever host it is for, so that a client
// can be told to talk to a vendor.
func (s *Server) Transport() http.RoundTripper {
	target := strings.TrimPrefix(strings.TrimSuffix(s.URL, "/v1"), "http://")
	transport := &http.Transport{DisableCompression: true}
	s.t.Cleanup(transport.CloseIdleConnections)
	return redirecting{target, transport}
}

type redirecting struct {
	host string
	to   http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (r redirecting) RoundTrip(request *http.Request) (*http.Response, error) {
	redirected := request.Clone(request.Context())
	redirected.URL.Scheme, redirected.URL.Host = "http", r.host
	return r.to.RoundTrip(redirected)
}
