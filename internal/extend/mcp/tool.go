package mcp

import (
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agent/internal/base/rawjson"
)

// Tool is the definition of a tool as its server sends it.
type Tool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
	// OutputSchema is the schema of the structured result, empty if there is none.
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  Annotations     `json:"annotations,omitzero"`
}

// Annotations holds the hints of a server about its tool. They are not verified.
type Annotations struct {
	ReadOnly    bool `json:"readOnlyHint,omitempty"`
	Destructive bool `json:"destructiveHint,omitempty"`
	Idempotent  bool `json:"idempotentHint,omitempty"`
	OpenWorld   bool `json:"openWorldHint,omitempty"`
}

// Prompt describes a prompt of a server (see Client.Prompt), and Argument one of its arguments.
type (
	Prompt   = sdk.Prompt
	Argument = sdk.PromptArgument
)

// Resource describes a resource of a server (see Client.Read).
type Resource struct {
	URI, Name, Title, Description, MIME string
	// Template is set if URI is a template with variables in braces.
	Template bool
}

func toolOf(t *sdk.Tool) Tool {
	tool := Tool{
		Name: t.Name, Title: t.Title, Description: t.Description,
		InputSchema: rawOf(t.InputSchema), OutputSchema: rawOf(t.OutputSchema),
	}
	if a := t.Annotations; a != nil {
		tool.Annotations = Annotations{
			ReadOnly: a.ReadOnlyHint, Idempotent: a.IdempotentHint,
			Destructive: a.DestructiveHint != nil && *a.DestructiveHint,
			OpenWorld:   a.OpenWorldHint != nil && *a.OpenWorldHint,
		}
		if tool.Title == "" {
			tool.Title = a.Title
		}
	}
	return tool
}

// rawOf returns a decoded value as JSON with sorted keys. It returns nil for nil.
func rawOf(value any) json.RawMessage {
	if value == nil {
		return nil
	}
	text, err := rawjson.Marshal(value)
	if err != nil {
		return nil
	}
	return text
}
