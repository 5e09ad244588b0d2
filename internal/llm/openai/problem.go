package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// problem is what a server says went wrong, in one form for all the forms there
// are: OpenAI's error object, a bare string, FastAPI's detail, vLLM's flat object,
// Google's list, plain text, a web page.
type problem struct {
	// status is the HTTP status, or the status named within a stream, else 0.
	status  int
	header  http.Header
	message string
	// code holds the server's machine words: code, type and status, joined.
	code string
	// delay is how long Google asks to wait, else 0.
	delay time.Duration
	// limit is the context window the server names, else 0.
	limit int
	// notAnAPI is set when the answer is of another kind altogether.
	notAnAPI bool
}

// parseProblem reads the body of an error.
func parseProblem(body []byte) problem {
	body = bytes.TrimSpace(body)
	var value any
	if json.Unmarshal(body, &value) != nil {
		if bytes.HasPrefix(body, []byte("<")) {
			return problem{notAnAPI: true}
		}
		return problem{message: oneLine(string(body))}
	}
	if list, ok := value.([]any); ok && len(list) > 0 {
		value = list[0]
	}
	return problemFrom(value)
}

// problemInEvent reports whether an event of a stream is an error.
func problemInEvent(data []byte, name string) (problem, bool) {
	if name != "error" && !bytes.Contains(data, []byte(`"error"`)) && !bytes.Contains(data, []byte(`"detail"`)) && !bytes.Contains(data, []byte(`"base_resp"`)) {
		return problem{}, false
	}
	var event map[string]any
	if json.Unmarshal(data, &event) != nil {
		return problem{}, false
	}
	// MiniMax has a status of its own in every event, 0 while all is well.
	if status, ok := event["base_resp"].(map[string]any); ok && number(status["status_code"]) != 0 {
		return problem{message: oneLine(words(status["status_msg"]))}, true
	}
	_, choices := event["choices"]
	_, detail := event["detail"]
	inner := event["error"]
	switch {
	case name == "error", event["object"] == "error", detail && !choices:
	case inner == nil, inner == "", inner == false, choices && isEmpty(inner):
		return problem{}, false
	}
	p := problemFrom(event)
	if p.message == "" {
		p.message = oneLine(string(data))
	}
	return p, true
}

// isEmpty reports whether a value is an object or a list with nothing in it.
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
func problemFrom(value any) problem {
	object, ok := value.(map[string]any)
	if !ok {
		return problem{message: oneLine(words(value))}
	}
	if inner, ok := object["error"].(map[string]any); ok {
		object = inner
	}
	p := problem{status: httpStatus(object), limit: number(object["n_ctx"]), delay: retryDelay(object["details"])}
	for _, key := range []string{"message", "error", "detail", "title"} {
		if p.message = oneLine(words(object[key])); p.message != "" {
			break
		}
	}
	// Routers put the words of the provider behind them into the metadata.
	if metadata, ok := object["metadata"].(map[string]any); ok {
		if raw := oneLine(words(metadata["raw"])); raw != "" {
			p.message += ": " + raw
		}
	}
	for _, key := range []string{"code", "type", "status"} {
		if word, ok := object[key].(string); ok {
			p.code += word + " "
		}
	}
	return p
}

// httpStatus finds an HTTP status among an error's fields.
func httpStatus(object map[string]any) int {
	for _, key := range []string{"code", "status", "status_code"} {
		if n := number(object[key]); n >= 400 && n < 600 {
			return n
		}
	}
	return 0
}

// retryDelay is the wait in Google's details of an error.
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

// words returns what is readable in a value: a string, the messages of a list.
func words(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case []any:
		var texts []string
		for _, item := range v {
			if text := words(item); text != "" {
				texts = append(texts, text)
			}
		}
		return strings.Join(texts, "; ")
	case map[string]any:
		for _, key := range []string{"message", "msg", "detail"} {
			if text := words(v[key]); text != "" {
				return placeOf(v) + text
			}
		}
	}
	return ""
}

// placeOf names the member that a complaint of pydantic is about: "stream_options: ".
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

// oneLine makes text from outside fit into a message: no line breaks, no control
// characters that could drive a terminal, not endless.
func oneLine(text string) string {
	const most = 500
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || 0x80 <= r && r < 0xa0 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return string(runes)
}
