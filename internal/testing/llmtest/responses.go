package llmtest

import (
	"encoding/json"
	"fmt"
	"slices"
)

// inputItem is an item of the input, of any type.
type inputItem struct {
	Type, Role, Name, Arguments, Output string
	Content                             json.RawMessage
	CallID                              string `json:"call_id"`
	Input                               *string
	Encrypted                           string `json:"encrypted_content"`
}

// fromResponses converts a request of the Responses API to the form of chat completions.
// Consecutive reasoning, text and calls become one assistant message.
func (r *Request) fromResponses(wire wireRequest) error {
	if wire.Store == nil || *wire.Store {
		return fmt.Errorf("the response would be stored")
	}
	for _, t := range wire.Tools {
		tool := Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters, Grammar: t.Format.Definition}
		switch free := t.Type == "custom"; {
		case t.Type != "function" && !free:
			return fmt.Errorf("tool %s has the type %q", t.Name, t.Type)
		case free && (t.Format.Type != "grammar" || t.Format.Syntax != "lark" || tool.Grammar == "" || t.Parameters != nil):
			return fmt.Errorf("tool %s is no free form with a grammar", t.Name)
		case !free && tool.Grammar != "":
			return fmt.Errorf("the function %s has a grammar", t.Name)
		}
		r.Tools = append(r.Tools, tool)
	}
	for i, raw := range wire.Input {
		var item inputItem
		err := json.Unmarshal(raw, &item)
		if err == nil {
			err = r.addItem(item, raw)
		}
		if err != nil {
			return fmt.Errorf("input[%d]: %w", i, err)
		}
	}
	for i, m := range r.Messages {
		if len(m.Reasoning) > 0 && m.Content == "" && len(m.ToolCalls) == 0 {
			return fmt.Errorf("messages[%d]: reasoning without the item that must follow it", i)
		}
	}
	return nil
}

func (r *Request) addItem(item inputItem, raw json.RawMessage) error {
	switch item.Type {
	case "message":
		text, images := content(item.Content)
		if item.Role != "assistant" {
			r.Messages = append(r.Messages, Message{Role: item.Role, Content: text, Images: images})
			return nil
		}
		r.assistant().Content += text
	case "reasoning":
		if item.Encrypted == "" {
			return fmt.Errorf("a reasoning item that holds no reasoning")
		}
		assistant := r.assistant()
		assistant.Reasoning = append(assistant.Reasoning, raw)
	case "function_call":
		assistant := r.assistant()
		assistant.ToolCalls = append(assistant.ToolCalls, ToolCall{ID: item.CallID, Type: "function", Name: item.Name, Arguments: item.Arguments})
	case "custom_tool_call":
		if item.Input == nil || item.Arguments != "" {
			return fmt.Errorf("a call in free form without input")
		}
		assistant := r.assistant()
		assistant.ToolCalls = append(assistant.ToolCalls, ToolCall{ID: item.CallID, Type: custom, Name: item.Name, Arguments: *item.Input})
	case "function_call_output", "custom_tool_call_output":
		if r.isFree(item.CallID) != (item.Type == "custom_tool_call_output") {
			return fmt.Errorf("no tool call found for %s with call_id %s", item.Type, item.CallID)
		}
		r.Messages = append(r.Messages, Message{Role: "tool", Content: item.Output, ToolCallID: item.CallID})
	default:
		return fmt.Errorf("unknown type %q", item.Type)
	}
	return nil
}

// custom is the type of a free-form call.
const custom = "custom"

// isFree reports whether the latest call with this ID is free-form.
func (r *Request) isFree(id string) bool {
	for _, m := range slices.Backward(r.Messages) {
		for _, call := range m.ToolCalls {
			if call.ID == id {
				return call.Type == custom
			}
		}
	}
	return false
}

// assistant returns the latest message if it is an assistant message. Otherwise it appends one.
func (r *Request) assistant() *Message {
	if n := len(r.Messages); n == 0 || r.Messages[n-1].Role != "assistant" {
		r.Messages = append(r.Messages, Message{Role: "assistant"})
	}
	return &r.Messages[len(r.Messages)-1]
}
