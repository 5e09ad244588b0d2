package llmtest

import (
	"encoding/json"
	"net/http"
	"strings"
)

// The formats of requests, by their path below /v1/.
const (
	Chat      = "chat/completions"
	Responses = "responses"
)

// Request is a request for a reply as the server got it. One to the Responses API
// is in the terms of chat completions.
type Request struct {
	// API is the format it came in: Chat or Responses.
	API string
	// Number counts the chat requests from 0.
	Number int
	// Body is the request as it came.
	Body   []byte
	Header http.Header

	Model    string
	Messages []Message
	Tools    []Tool
	// Fields are all top-level fields, undecoded.
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
	// Fields are all members of the message, undecoded.
	Fields map[string]json.RawMessage
	// Reasoning are the reasoning items of the Responses API in it.
	Reasoning []json.RawMessage
}

// Text returns a member that is a string, and whether it is there.
func (m Message) Text(field string) (text string, ok bool) {
	ok = json.Unmarshal(m.Fields[field], &text) == nil
	return text, ok
}

// ToolCall is a call within an assistant message.
type ToolCall struct {
	ID, Type, Name, Arguments string
	// Extra is its extra_content, undecoded.
	Extra json.RawMessage
}

// Tool is a tool the model may call.
type Tool struct {
	Name, Description string
	Parameters        json.RawMessage
	// Grammar is that of a tool in free form, empty for a function.
	Grammar string
}

// Last returns the last message.
func (r *Request) Last() Message { return r.Messages[len(r.Messages)-1] }

// ToolNames returns the names of the tools offered, in order.
func (r *Request) ToolNames() []string {
	names := make([]string, 0, len(r.Tools))
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	return names
}

// wireRequest is the JSON of the fields that are decoded.
type wireRequest struct {
	Model    string        `json:"model"`
	Stream   bool          `json:"stream"`
	Messages []wireMessage `json:"messages"`
	Tools    []struct {
		Type     string `json:"type"`
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
}

type wireMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string          `json:"id"`
		Type     string          `json:"type"`
		Extra    json.RawMessage `json:"extra_content"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func decodeAs(api string, body []byte) (*Request, error) {
	if api == Responses {
		return decodeResponses(body)
	}
	return decode(body)
}

func decode(body []byte) (*Request, error) {
	request := &Request{API: Chat, Body: body}
	var wire wireRequest
	if err := json.Unmarshal(body, &wire); err != nil {
		return request, err
	}
	if err := json.Unmarshal(body, &request.Fields); err != nil {
		return request, err
	}
	request.Model = wire.Model
	for _, t := range wire.Tools {
		request.Tools = append(request.Tools, Tool{Name: t.Function.Name, Description: t.Function.Description, Parameters: t.Function.Parameters})
	}
	fields, err := messageFields(request.Fields["messages"])
	if err != nil {
		return request, err
	}
	for i, m := range wire.Messages {
		message := Message{Role: m.Role, ToolCallID: m.ToolCallID, Fields: fields[i]}
		message.Content, message.Images = content(m.Content)
		for _, c := range m.ToolCalls {
			message.ToolCalls = append(message.ToolCalls, ToolCall{c.ID, c.Type, c.Function.Name, c.Function.Arguments, c.Extra})
		}
		request.Messages = append(request.Messages, message)
	}
	return request, nil
}

func messageFields(messages json.RawMessage) (fields []map[string]json.RawMessage, err error) {
	if len(messages) > 0 {
		err = json.Unmarshal(messages, &fields)
	}
	return fields, err
}

// content reads both forms of a message's content.
func content(raw json.RawMessage) (text string, images []string) {
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var parts []struct {
		Text     string `json:"text"`
		ImageURL image  `json:"image_url"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return "", nil
	}
	var texts []string
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
		if p.ImageURL != "" {
			images = append(images, string(p.ImageURL))
		}
	}
	return strings.Join(texts, "\n"), images
}

// image is the URL of an image, which the formats nest differently.
type image string

// UnmarshalJSON implements json.Unmarshaler.
func (i *image) UnmarshalJSON(raw []byte) error {
	var nested struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(raw, &nested) == nil {
		*i = image(nested.URL)
		return nil
	}
	var url string
	err := json.Unmarshal(raw, &url)
	*i = image(url)
	return err
}
