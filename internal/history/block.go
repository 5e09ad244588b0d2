package history

import (
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// A Block is one part of an entry: *Text, *Thinking, *ToolCall, *ToolResponse or *Media. Blocks are
// immutable and may be shared between entries. The fields of a block are its members in JSON. Unknown
// contains members of other versions.
type Block interface {
	// Kind returns the block's "type" in JSON.
	Kind() string
}

// Text is text of a human or of the model. A block made by the @ processor contains the path of the
// included file (D-18).
type Text struct {
	Text string `json:"text"`
	// IncludedFile is the path as the user named it, if the whole block is one file inclusion.
	// Otherwise it is "".
	IncludedFile string `json:"includedFile,omitzero"`
	// Source is the origin of text that the user did not type. Such text is data: markers, @ and / in
	// it have no meaning (D-46).
	Source Source `json:"source,omitzero"`
	// Key identifies the source of the text's content, such as "skill:/path/SKILL.md". Newer content
	// with the same key replaces it. Most texts have no key.
	Key string `json:"key,omitzero"`
	// Own is set for instructions that the user keeps outside of the workspace, for all projects.
	Own bool `json:"own,omitzero"`
	// Tools is the change of the tools that Text describes, or nil. Providers that support such changes
	// within a conversation receive it instead of Text.
	Tools *ToolChange `json:"tools,omitzero"`

	Unknown jsontext.Value `json:",embed"`

	imported bool // see Imported
}

// ToolChange lists the tools that are added and removed for the model, from a position in the
// conversation on.
type ToolChange struct {
	Added   []ToolDefinition `json:"added,omitzero"`
	Removed []string         `json:"removed,omitzero"`
}

// ToolDefinition is the definition of a tool in requests. Schema is the JSON Schema of its parameters.
type ToolDefinition struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

// Thinking is the model's reasoning. It is shown. It is sent only to a provider that requires it (see
// Attached).
type Thinking struct {
	Thought  string      `json:"thought"`
	Attached *Attachment `json:"attached,omitzero"`

	Unknown jsontext.Value `json:",embed"`
}

// ToolCall is a request of the model to run a tool.
type ToolCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Parameters is the JSON that the model sent. It may be any JSON value, because models also send
	// null, strings and lists. Arguments that were not valid JSON are stored as a JSON string.
	Parameters json.RawMessage `json:"parameters"`
	Attached   *Attachment     `json:"attached,omitzero"`

	Unknown jsontext.Value `json:",embed"`

	args callArgs
}

// ToolResponse is the answer to the latest earlier call with its id (D-11).
type ToolResponse struct {
	CallID   string `json:"callId"`
	ToolName string `json:"toolName"`
	Result   Result `json:"result"`
	// Error is why the call failed, or "" if it did not fail.
	Error string `json:"error,omitzero"`
	// ExitCode is the exit status of a command that ran. Otherwise it is nil.
	ExitCode *int `json:"exitCode,omitzero"`

	Unknown jsontext.Value `json:",embed"`
}

// PDF is the media type of PDFs.
const PDF = "application/pdf"

// MaxPDF is the size of the largest PDF that is read, in bytes.
const MaxPDF = 64 << 20

// Media is an image or another binary part, base64 encoded.
type Media struct {
	MimeType string `json:"mimeType"`
	Data     string `json:"data"`
	// Width and Height are in pixels, or 0 if unknown.
	Width  int `json:"width,omitzero"`
	Height int `json:"height,omitzero"`

	Unknown jsontext.Value `json:",embed"`
}

// Kind implements Block.
func (*Text) Kind() string { return "text" }

// Kind implements Block.
func (*Thinking) Kind() string { return "thinking" }

// Kind implements Block.
func (*ToolCall) Kind() string { return "tool_call" }

// Kind implements Block.
func (*ToolResponse) Kind() string { return "tool_response" }

// Kind implements Block.
func (*Media) Kind() string { return "media" }

// CallID returns the id of a call or of a response, "" for other blocks.
func CallID(block Block) string {
	switch b := block.(type) {
	case *ToolCall:
		return b.ID
	case *ToolResponse:
		return b.CallID
	}
	return ""
}

// WithResult returns a copy of r with another result.
func (r *ToolResponse) WithResult(result string) *ToolResponse {
	edited := *r
	edited.Result = TextResult(result)
	return &edited
}

func (c *ToolCall) withID(id string) *ToolCall {
	edited := c.copied()
	edited.ID = id
	return edited
}

// WithParameters returns a copy of c with other parameters.
func (c *ToolCall) WithParameters(parameters json.RawMessage) *ToolCall {
	edited := c.copied()
	edited.Parameters = parameters
	return edited
}

// copied returns a copy of c without memoized arguments.
func (c *ToolCall) copied() *ToolCall {
	return &ToolCall{ID: c.ID, Name: c.Name, Parameters: c.Parameters, Attached: c.Attached, Unknown: c.Unknown}
}

// Attachment is data that a provider attached to a block of its reply, such as a signature. Many
// providers refuse a conversation in which the data is not sent again unchanged. No other provider can
// read the data.
type Attachment struct {
	// Model and Host identify the provider that attached the data. The data may be sent only to this
	// provider.
	Model string `json:"model"`
	Host  string `json:"host"`
	// Wanted is set if the provider is known to require the data. Only then does it count in the size
	// of requests.
	Wanted bool `json:"wanted,omitzero"`
	// Field is the member of the provider's message that contained the data. Reasoning in plain text,
	// which is the text of the block, has no other data.
	Field string `json:"field,omitzero"`
	// Data is JSON that is sent back unchanged.
	Data json.RawMessage `json:"data,omitzero"`
	// Past is a digest of the request that the reply answers. It is "" in older logs. Void is set in a
	// request whose conversation before the reply has changed. The data is then not sent.
	Past string `json:"past,omitzero"`
	Void bool   `json:"-"`
}

// IsFrom reports whether a is not nil and comes from the model at the host.
func (a *Attachment) IsFrom(model, host string) bool {
	return a != nil && a.Model == model && a.Host == host
}

// countAttached returns the tokens that an attachment adds to a block whose text
// is sent back with it.
func countAttached(counter Counter, a *Attachment, text string) int {
	if a == nil || !a.Wanted {
		return 0
	}
	return counter.Count(text) + counter.Count(string(a.Data))
}
