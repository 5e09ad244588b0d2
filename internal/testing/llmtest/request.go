package llmtest

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

// The request formats. Each is the path below /v1/.
const (
	Chat      = "chat/completions"
	Responses = "responses"
	Messages  = "messages"
)

// Request is a request for a reply as the server received it. A request of another API is converted
// to the form of chat completions.
type Request struct {
	// API is the format of the request: Chat, Responses or Messages.
	API string
	// Number counts the chat requests from 0.
	Number int
	// Body is the unchanged body of the request.
	Body   []byte
	Header http.Header

	Model    string
	Messages []Message
	Tools    []Tool
	// Fields maps all top-level fields to their raw JSON.
	Fields map[string]json.RawMessage
}

// Message is one message of a request.
type Message struct {
	Role string
	// Content is the text; the text parts of a list are joined by newlines.
	Content string
	// Images are the URLs of image parts.
	Images     []string
	ToolCalls  []ToolCall
	ToolCallID string
	// Fields maps all members of the message to their raw JSON.
	Fields map[string]json.RawMessage
	// Reasoning lists the reasoning items of the Responses API in the message.
	Reasoning []json.RawMessage
}

// Text returns a member that is a string, and whether the member exists.
func (m Message) Text(field string) (text string, ok bool) {
	ok = json.Unmarshal(m.Fields[field], &text) == nil
	return text, ok
}

// ToolCall is a call within an assistant message.
type ToolCall struct {
	ID, Type, Name, Arguments string
	// Extra is the raw extra_content of the call.
	Extra json.RawMessage
}

// Tool is a tool that the model may call.
type Tool struct {
	Name, Description string
	Parameters        json.RawMessage
	// Grammar is the grammar of a free-form tool, empty for a function.
	Grammar string
}

// Last returns the last message.
func (r *Request) Last() Message { return r.Messages[len(r.Messages)-1] }

// ToolNames returns the names of the offered tools, in order.
func (r *Request) ToolNames() []string {
	names := make([]string, 0, len(r.Tools))
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	return names
}

// wireRequest is the JSON of a request in either format.
type wireRequest struct {
	Model    string
	Messages []Message
	Tools    []struct {
		wireTool
		Function wireTool
	}
	Input []json.RawMessage
	Store *bool
}

type wireTool struct {
	Type, Name, Description string
	Parameters              json.RawMessage
	Format                  struct{ Type, Syntax, Definition string }
}

// decode reads a request in a format.
func decode(api string, body []byte) (*Request, error) {
	request := &Request{API: api, Body: body}
	var wire wireRequest
	if api == Messages {
		var named struct{ Model string }
		err := errors.Join(json.Unmarshal(body, &named), json.Unmarshal(body, &request.Fields))
		request.Model = named.Model
		return request, errors.Join(err, request.fromMessages(body))
	}
	if err := errors.Join(json.Unmarshal(body, &wire), json.Unmarshal(body, &request.Fields)); err != nil {
		return request, err
	}
	request.Model, request.Messages = wire.Model, wire.Messages
	if api == Responses {
		return request, request.fromResponses(wire)
	}
	for _, t := range wire.Tools {
		request.Tools = append(request.Tools, Tool{Name: t.Function.Name, Description: t.Function.Description, Parameters: t.Function.Parameters})
	}
	return request, nil
}

// UnmarshalJSON reads a message of chat completions.
func (m *Message) UnmarshalJSON(raw []byte) error {
	var wire struct {
		Role       string
		Content    json.RawMessage
		ToolCallID string `json:"tool_call_id"`
		ToolCalls  []struct {
			ID, Type string
			Extra    json.RawMessage `json:"extra_content"`
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
	if err := errors.Join(json.Unmarshal(raw, &wire), json.Unmarshal(raw, &m.Fields)); err != nil {
		return err
	}
	m.Role, m.ToolCallID = wire.Role, wire.ToolCallID
	m.Content, m.Images = content(wire.Content)
	for _, c := range wire.ToolCalls {
		m.ToolCalls = append(m.ToolCalls, ToolCall{c.ID, c.Type, c.Function.Name, c.Function.Arguments, c.Extra})
	}
	return nil
}

// content reads both forms of a message's content, and both forms of an image URL.
func content(raw json.RawMessage) (text string, images []string) {
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var parts []struct {
		Text     string
		ImageURL json.RawMessage `json:"image_url"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return "", nil
	}
	var texts []string
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
		var nested struct{ URL string }
		if json.Unmarshal(p.ImageURL, &nested) != nil {
			_ = json.Unmarshal(p.ImageURL, &nested.URL)
		}
		if nested.URL != "" {
			images = append(images, nested.URL)
		}
	}
	return strings.Join(texts, "\n"), images
}
