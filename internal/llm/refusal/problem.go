// Package refusal parses the errors of servers in all their forms, and determines their meaning: the
// kind of failure, the wait that the server asks for, and the reported context window.
package refusal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"agent/internal/base/humanize"
)

// Problem is an error of a server. It is parsed from OpenAI's error object, a bare string, FastAPI's
// detail, vLLM's flat object, Google's list, plain text or a web page.
type Problem struct {
	// Status is the HTTP status, or the status in an event of a stream, or otherwise 0.
	Status  int
	Header  http.Header
	Message string
	// Code joins the machine-readable parts of the error: code, type and status.
	Code string
	// delay is the wait that Google asks for, or 0.
	delay time.Duration
	// limit is the context window in tokens that llama.cpp reports, or 0.
	limit int
	// NotAnAPI is set if the answer does not come from this API, for example a web page.
	NotAnAPI bool
}

// Parse parses the body of an error.
func Parse(body []byte) Problem {
	body = bytes.TrimSpace(body)
	var value any
	if json.Unmarshal(body, &value) != nil {
		if bytes.HasPrefix(body, []byte("<")) {
			return Problem{NotAnAPI: true}
		}
		return Problem{Message: Line(string(body))}
	}
	if list, ok := value.([]any); ok && len(list) > 0 {
		value = list[0]
	}
	return problemFrom(value)
}

// ParseEvent parses the error in an event of a stream, and reports whether there is one.
func ParseEvent(data []byte, name string) (Problem, bool) {
	if name != "error" && !bytes.Contains(data, []byte(`"error"`)) && !bytes.Contains(data, []byte(`"detail"`)) && !bytes.Contains(data, []byte(`"base_resp"`)) {
		return Problem{}, false
	}
	var event map[string]any
	if json.Unmarshal(data, &event) != nil {
		return Problem{}, false
	}
	// MiniMax sends a separate status in every event, which is 0 without an error.
	if status, ok := event["base_resp"].(map[string]any); ok && number(status["status_code"]) != 0 {
		return Problem{Message: Line(readable(status["status_msg"]))}, true
	}
	_, choices := event["choices"]
	_, detail := event["detail"]
	inner := event["error"]
	switch {
	case name == "error", event["object"] == "error", detail && !choices:
	case inner == nil, inner == "", inner == false, choices && isEmpty(inner):
		return Problem{}, false
	}
	p := problemFrom(event)
	if p.Message == "" {
		p.Message = Line(string(data))
	}
	return p, true
}

// isEmpty reports whether a value is an empty object or list.
func isEmpty(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	default:
		return false
	}
}

// problemFrom reads an error from decoded JSON.
func problemFrom(value any) Problem {
	object, ok := value.(map[string]any)
	if !ok {
		return Problem{Message: Line(readable(value))}
	}
	if inner, ok := object["error"].(map[string]any); ok {
		object = inner
	}
	p := Problem{Status: httpStatus(object), limit: number(object["n_ctx"]), delay: retryDelay(object["details"])}
	for _, key := range []string{"message", "error", "detail", "title"} {
		if p.Message = Line(readable(object[key])); p.Message != "" {
			break
		}
	}
	// Routers put the message of the provider that they use into the metadata.
	if metadata, ok := object["metadata"].(map[string]any); ok {
		if raw := Line(readable(metadata["raw"])); raw != "" {
			p.Message += ": " + raw
		}
	}
	for _, key := range []string{"code", "type", "status"} {
		if word, ok := object[key].(string); ok {
			p.Code += Line(word) + " "
		}
	}
	return p
}

// httpStatus returns the HTTP status in the fields of an error, or 0.
func httpStatus(object map[string]any) int {
	for _, key := range []string{"code", "status", "status_code"} {
		if n := number(object[key]); n >= 400 && n < 600 {
			return n
		}
	}
	return 0
}

// retryDelay returns the wait in the details of an error of Google, or 0.
func retryDelay(details any) time.Duration {
	list, _ := details.([]any)
	for _, item := range list {
		detail, _ := item.(map[string]any)
		asked, _ := detail["retryDelay"].(string)
		if d, err := time.ParseDuration(asked); err == nil {
			return d
		}
	}
	return 0
}

func number(value any) int {
	switch v := value.(type) {
	case float64:
		return int(v)
	case string:
		var n int
		if _, err := fmt.Sscanf(v, "%d", &n); err == nil {
			return n
		}
	}
	return 0
}

// readable returns the text in a value: a string, the message of an object, or the messages in a
// list.
func readable(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case []any:
		var texts []string
		for _, item := range v {
			if text := readable(item); text != "" {
				texts = append(texts, text)
			}
		}
		return strings.Join(texts, "; ")
	case map[string]any:
		for _, key := range []string{"message", "msg", "detail"} {
			if text := readable(v[key]); text != "" {
				return placeOf(v) + text
			}
		}
	}
	return ""
}

// placeOf returns the member that an error of pydantic is about, with a colon: "stream_options: ".
func placeOf(complaint map[string]any) string {
	steps, _ := complaint["loc"].([]any)
	var place []string
	for _, step := range steps {
		if step != "body" {
			place = append(place, fmt.Sprint(step))
		}
	}
	if len(place) == 0 {
		return ""
	}
	return strings.Join(place, ".") + ": "
}

// Line returns the text of a server as one line of visible characters, truncated if it is long.
func Line(text string) string { return humanize.Line(text, longest) }

// longest limits the part of a server's text that is shown, in characters.
const longest = 500
