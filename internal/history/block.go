package history

import (
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// Block is one part of an entry: *Text, *Thinking, *ToolCall, *ToolResponse or
// *Media. Blocks are immutable and may be shared between entries. The fields of
// each are its members in JSON; Unknown holds members of other versions.
type Block interface {
	// Kind is the block's "type" in JSON.
	Kind() string
}

// Text is words of a human or of the model. A block made by the @ processor
// carries the path of the file it includes (D-18).
type Text struct {
	Text string `json:"text"`
	// IncludedFile is the path as the user named it when the whole block is one
	// file inclusion, else empty.
	IncludedFile string `json:"includedFile,omitzero"`
	// Source says where the text comes from when nobody said it: it is data then,
	// to which no marker, @ or / in it means anything (D-46).
	Source Source `json:"source,omitzero"`
	// Key names what the text is the content of, such as "skill:/path/SKILL.md": newer
	// content of the same key takes its place. Empty for most.
	Key string `json:"key,omitzero"`

	Unknown jsontext.Value `json:",embed"`

	imported bool // see Imported
}

// Thinking is the model's reasoning. It is shown, and sent back only to a provider
// that wants it (see Attached).
type Thinking struct {
	Thought  string    `json:"thought"`
	Attached *Attached `json:"attached,omitzero"`

	Unknown jsontext.Value `json:",embed"`
}

// ToolCall is a request of the model to run a tool.
type ToolCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Parameters is the JSON the model sent. Any JSON value is possible: models
	// send null, strings and lists too. Arguments that were not JSON at all are
	// kept as a JSON string.
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
	// Error is why the call failed, or empty.
	Error string `json:"error,omitzero"`
	// ExitCode is the exit status of a command that ran, else nil.
	ExitCode *int `json:"exitCode,omitzero"`

	Unknown jsontext.Value `json:",embed"`
}

// Media is an image or another binary part, base64 encoded.
type Media struct {
	MimeType string `json:"mimeType"`
	Data     string `json:"data"`
	// Width and Height are in pixels, 0 where they are not known.
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

// WithResult returns a copy of r that answers with result instead; everything
// else stays.
func (r *ToolResponse) WithResult(result string) *ToolResponse {
	edited := *r
	edited.Result = TextResult(result)
	return &edited
}

// withID returns a copy of c under another id; everything else stays.
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

// copied returns a copy of c that has not memoised its arguments.
func (c *ToolCall) copied() *ToolCall {
	return &ToolCall{ID: c.ID, Name: c.Name, Parameters: c.Parameters, Attached: c.Attached, Unknown: c.Unknown}
}

// Attached is what a provider attached to a block of its reply, such as a
// signature. Many providers refuse a conversation in which it does not come back
// word for word; no other provider can read it.
type Attached struct {
	// Model and Host are whom it comes from, and to whom alone it may go back.
	Model string `json:"model"`
	Host  string `json:"host"`
	// Wanted is set when the provider is known to want it back. Only then it counts
	// in the size of requests.
	Wanted bool `json:"wanted,omitzero"`
	// Field is the member of the provider's message that it came in. For thinking in
	// plain words, which are the block's own text, that is all there is to know.
	Field string `json:"field,omitzero"`
	// Data is JSON that is sent back unchanged.
	Data json.RawMessage `json:"data,omitzero"`
}

// From reports whether a is there and comes from a model at a host.
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
