package demo

import (
	"encoding/json"
	"errors"
	"strings"
)

// request is what the script needs of a chat completion request.
type request struct {
	Model         string            `json:"model"`
	Stream        bool              `json:"stream"`
	StreamOptions streamOptions     `json:"stream_options"`
	Messages      []message         `json:"messages"`
	Tools         []json.RawMessage `json:"tools"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// message is one message of the conversation.
type message struct {
	Role       string     `json:"role"`
	Content    content    `json:"content"`
	ToolCalls  []toolCall `json:"tool_calls"`
	ToolCallID string     `json:"tool_call_id"`
}

type toolCall struct {
	ID       string   `json:"id"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// content is the text of a message, which comes as a string, as a list of parts
// or as null. Parts that are not text count as empty.
type content []string

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*c = content{text}
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return errors.New("the content of a message must be a string or a list of parts")
	}
	*c = nil
	for _, part := range parts {
		*c = append(*c, part.Text)
	}
	return nil
}

func (c content) text() string { return strings.Join(c, "\n") }

// typed is what the user typed, without the files that follow it.
func (c content) typed() string {
	text, _, _ := strings.Cut(c.text(), "\n--- ")
	return strings.TrimSpace(text)
}
