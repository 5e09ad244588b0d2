package openai

import (
	"encoding/json"

	"github.com/sashabaranov/go-openai"

	"agent/internal/base/rawjson"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/lenientjson"
)

// The types of the items for a free-form call. The library does not define them.
const (
	customCall       = "custom_tool_call"
	customCallOutput = "custom_tool_call_output"
)

// freeCall is a call whose argument is plain text.
type freeCall struct {
	Type   string `json:"type"`
	CallID string `json:"call_id"`
	Name   string `json:"name"`
	Input  string `json:"input"`
}

// freeForms holds the tools that a request offers in free form, by name.
type freeForms map[string]*llm.FreeForm

// freeFormsOf returns the free forms for a request. It returns none if the model does not support them.
func freeFormsOf(req request) freeForms {
	free := freeForms{}
	if !req.wants.FreeForm || req.Dialect.OmitFreeForm {
		return free
	}
	for _, spec := range req.Tools {
		if spec.Free != nil {
			free[spec.Name] = spec.Free
		}
	}
	return free
}

// tool declares a tool, in free form if it has one.
func (f freeForms) tool(spec llm.ToolSpec) openai.ResponseTool {
	if free := f[spec.Name]; free != nil {
		return openai.ResponseTool{Type: "custom", Parameters: map[string]any{
			"name": spec.Name, "description": free.Description,
			"format": map[string]any{"type": "grammar", "syntax": "lark", "definition": free.Grammar},
		}}
	}
	tool := openai.NewResponseFunctionTool(openai.FunctionDefinition{Name: spec.Name, Description: spec.Description, Parameters: parameters(spec)})
	// The default is true, but not every schema meets the requirements of strict.
	tool.Parameters["strict"] = false
	return tool
}

// input returns the argument of a call as plain text. ok is false for a call without a free form.
func (f freeForms) input(call *history.ToolCall) (text string, ok bool) {
	free := f[call.Name]
	if free == nil {
		return "", false
	}
	given := call.Arguments()
	if given.Len() != 1 {
		return "", false
	}
	value, _ := given.Arg(free.Parameter)
	text, ok = value.(string)
	return text, ok
}

// finish converts a complete free-form call to a function call.
func (f freeForms) finish(raw json.RawMessage) openai.ResponseOutputItem {
	call := lenientjson.Decode[freeCall](raw)
	parameter := "input"
	if free := f[call.Name]; free != nil {
		parameter = free.Parameter
	}
	arguments := append(rawjson.AppendString([]byte("{"), parameter), ':')
	arguments = append(rawjson.AppendString(arguments, call.Input), '}')
	return openai.ResponseOutputItem{CallID: call.CallID, Name: call.Name, Arguments: string(arguments)}
}
