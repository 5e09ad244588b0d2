package history

import (
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// A Block is one part of an entry: *Text, *Thinking, *ToolCall, *ToolResponse or *Media. Blocks
// are immutable and may be shared between entries. The fields of a block are its members in JSON;
// Unknown holds members of other versions.
type Block interface {
	// Kind returns the block's "type" in JSON.
	Kind() string
}

// Text holds words of a human or of the model. A block made by the @ processor carries the path
// of the file it includes (D-18).
type Text struct {
	Text string `json:"text"`
	// IncludedFile is the path as the user named it, if the whole block is one file inclusion,
	// else empty.
	IncludedFile string `json:"includedFile,omitzero"`
	// Source is the origin of text that the user did not type. Such text is data: no marker, @ or /
	// in it has a meaning (D-46).
	Source Source `json:"source,omitzero"`
	// Key names the source of the text's content, such as "skill:/path/SKILL.md". Newer content
	// of the same key takes its place. Most texts have no key.
	Key string `json:"key,omitzero"`
	// Own is set for instructions that the user keeps outside of the workspace, for all projects.
	Own bool `json:"own,omitzero"`
	// Tools is the change of the tools that Text describes, nil for none. Providers that take such
	// changes within a conversation get it in place of Text.
	Tools *ToolChange `json:"tools,omitzero"`

	Unknown jsontext.Value `json:",embed"`

	imported bool // see Imported
}

// ToolChange says which tools the model has more and which it has no longer, from a place in the
// conversation on.
type ToolChange struct {
	Added   []ToolDefinition `json:"added,omitzero"`
	Removed []string         `json:"removed,omitzero"`
}

// ToolDefinition is a tool as requests offer it. Schema is the JSON Schema of its parameters.
type ToolDefinition struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

// Thinking holds the model's reasoning. It is shown, and sent back only to a provider that wants
// it (see Attached).
type Thinking struct {
	Thought  string    `json:"thought"`
	Attached *Attached `json:"attached,omitzero"`

	Unknown jsontext.Value `json:",embed"`
}

// ToolCall is a request of the model to run a tool.
type ToolCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Parameters holds the JSON that the model sent. Any JSON value is possible: models send
	// null, strings and lists too. Arguments that were not JSON at all are kept as a JSON string.
	Parameters json.RawMessage `json:"parameters"`
	Attached   *Attached       `json:"attached,omitzero"`

	Unknown jsontext.Value `json:",embed"`

	args callArgs
}

// ToolResponse is the answer to the latest earlier call with its id (D-11).
type ToolResponse struct {
	CallID   string `json:"callId"`
	ToolName string `json:"toolName"`
	Result   Result `json:"result"`
	// Error says why the call failed; it is empty if the call did not fail.
	Error string `json:"error,omitzero"`
	// ExitCode is the exit status of a command that ran, else nil.
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

// WithResult returns a copy of r with another result; everything else stays.
func (r *ToolResponse) WithResult(result string) *ToolResponse {
	edited := *r
	edited.Result = TextResult(result)
	return &edited
}

// withID returns a copy of c with another id; everything else stays.
func (c *ToolCall) withID(id string) *ToolCall {
	edited := c.copied()
	edited.ID = id
	return edited
}

// WithParameters returns a copy of c with other parameters; everything else stays.
func (c *ToolCall) WithParameters(parameters json.RawMessage) *ToolCall {
	edited := c.copied()
	edited.Parameters = parameters
	return edited
}

// copied returns a copy of c without memoised arguments.
func (c *ToolCall) copied() *ToolCall {
	return &ToolCall{ID: c.ID, Name: c.Name, Parameters: c.Parameters, Attached: c.Attached, Unknown: c.Unknown}
}

// Attached holds data that a provider attached to a block of its reply, such as a signature. Many
// providers refuse a conversation in which it does not come back word for word. No other provider
// can read it.
type Attached struct {
	// Model and Host name the provider that attached the data. Only this provider may get it
	// back.
	Model string `json:"model"`
	Host  string `json:"host"`
	// Wanted is set if the provider is known to want the data back. Only then does it count in
	// the size of requests.
	Wanted bool `json:"wanted,omitzero"`
	// Field is the member of the provider's message that held the data. Thinking in plain words,
	// which are the block's own text, has no other data.
	Field string `json:"field,omitzero"`
	// Data is JSON that is sent back unchanged.
	Data json.RawMessage `json:"data,omitzero"`
	// Past is a digest of the request that the reply answers, "" in older records. Void is set in a
	// request whose conversation before the reply is another one, so that the data is not sent.
	Past string `json:"past,omitzero"`
	Void bool   `json:"-"`
}

// From reports whether a is not nil and comes from a model at a host.
func (a *Attached) From(model, host string) bool {
	return a != nil && a.Model == model && a.Host == host
}

// countAttached returns the tokens that an attachment adds to a block whose text
// is sent back with it.
func countAttached(counter Counter, a *Attached, text string) int {
	if a == nil || !a.Wanted {
		return 0
	}
	return counter.Count(text) + counter.Count(string(a.Data))
}
