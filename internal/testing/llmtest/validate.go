package llmtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Validate returns an error for a chat request that a strict server would refuse. Model and
// messages are required. No message may be empty, and only the first may be a system message. Each
// tool call must be answered exactly once by the messages that follow it directly (D-32). Arguments
// and schemas must be JSON objects, and names unique.
func Validate(body []byte) error {
	request, err := decode(Chat, body)
	if err != nil {
		return err
	}
	return request.validate()
}

func (request *Request) validate() error {
	switch {
	case request.Model == "":
		return fmt.Errorf("no model")
	case string(request.Fields["stream"]) != "true":
		return fmt.Errorf("stream is %q, want true", request.Fields["stream"])
	case len(request.Messages) == 0:
		return fmt.Errorf("no messages")
	}
	if err := validateTools(request.Tools); err != nil {
		return err
	}
	return request.validateMessages()
}

func validateTools(tools []Tool) error {
	seen := map[string]bool{}
	for i, t := range tools {
		switch {
		case t.Name == "":
			return fmt.Errorf("tools[%d] has no name", i)
		case seen[t.Name]:
			return fmt.Errorf("tools[%d]: %s appears twice", i, t.Name)
		case t.Grammar == "" && !isObject(string(t.Parameters)):
			return fmt.Errorf("tools[%d]: the parameters of %s are not an object: %s", i, t.Name, t.Parameters)
		}
		seen[t.Name] = true
	}
	return nil
}

func (request *Request) validateMessages() error {
	// open holds the calls of the latest assistant message that have no answer yet.
	open := map[string]bool{}
	for i, m := range request.Messages {
		if m.Role == "system" && request.API == Messages {
			continue // JudgeMessages checks where a system message is allowed
		}
		if m.Role != "tool" && len(open) > 0 {
			return fmt.Errorf("messages[%d] (%s) comes while calls wait for an answer: %v", i, m.Role, slices.Collect(maps.Keys(open)))
		}
		if err := validateMessage(m, i, open); err != nil {
			return fmt.Errorf("messages[%d]: %w", i, err)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("calls without an answer at the end: %v", slices.Collect(maps.Keys(open)))
	}
	return nil
}

func validateMessage(m Message, position int, open map[string]bool) error {
	says := strings.TrimSpace(m.Content) != "" || len(m.Images) > 0
	switch m.Role {
	case "system", "developer":
		if position != 0 {
			return fmt.Errorf("a %s message that is not the first", m.Role)
		}
	case "user":
	case "assistant":
		says = says || len(m.ToolCalls) > 0
	case "tool":
		if !open[m.ToolCallID] {
			return fmt.Errorf("answers call %q, which is not waiting for an answer", m.ToolCallID)
		}
		delete(open, m.ToolCallID)
	default:
		return fmt.Errorf("unknown role %q", m.Role)
	}
	if !says {
		return fmt.Errorf("an empty %s message", m.Role)
	}
	return validateCalls(m.ToolCalls, open)
}

func validateCalls(calls []ToolCall, open map[string]bool) error {
	for _, c := range calls {
		switch {
		case c.ID == "":
			return fmt.Errorf("a call of %s without an id", c.Name)
		case open[c.ID]:
			return fmt.Errorf("the call id %s appears twice", c.ID)
		case c.Type != "function" && c.Type != custom:
			return fmt.Errorf("call %s has the type %q", c.ID, c.Type)
		case c.Name == "":
			return fmt.Errorf("call %s has no name", c.ID)
		case c.Type != custom && !isObject(c.Arguments):
			return fmt.Errorf("the arguments of call %s (%s) are not a JSON object: %q", c.ID, c.Name, c.Arguments)
		}
		open[c.ID] = true
	}
	return nil
}

func isObject(text string) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal([]byte(text), &object) == nil && object != nil
}
