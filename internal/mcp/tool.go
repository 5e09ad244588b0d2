package mcp

import (
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agent/internal/rawjson"
)

// Tool is the definition of a tool in the words of its server.
type Tool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
	// OutputSchema is of the structured result, empty when the server gives none.
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  Annotations     `json:"annotations,omitzero"`
}

// Annotations are what a server says of its own tool: hints that nothing proves.
type Annotations struct {
	ReadOnly    bool `json:"readOnlyHint,omitempty"`
	Destructive bool `json:"destructiveHint,omitempty"`
	Idempotent  bool `json:"idempotentHint,omitempty"`
	OpenWorld   bool `json:"openWorldHint,omitempty"`
}

// Prompt is a message that a server can make, see Client.Prompt, and Argument a value that it
// is made with.
type (
	Prompt   = sdk.Prompt
	Argument = sdk.PromptArgument
)

// Resource is something that a server lets read, see Client.Read.
type Resource struct {
	URI, Name, Title, Description, MIME string
	// Template says that URI is a pattern with variables in braces.
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

// rawOf is a value that was read from JSON as JSON again, with sorted keys; nil when
// there is none.
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
