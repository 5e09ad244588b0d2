package history

import (
	"bytes"
	"encoding/json"
	"sync"
)

// Block is one part of an entry: *Text, *Thinking, *ToolCall, *ToolResponse or
// *Media. Blocks are immutable and may be shared between entries.
type Block interface {
	// Kind is the block's "type" in JSON.
	Kind() string
	json.Marshaler
}

// Text is words of a human or of the model. A block made by the @ processor
// carries the path of the file it includes (D-18).
type Text struct {
	Text string
	// IncludedFile is the path as the user named it when the whole block is one
	// file inclusion, else empty.
	IncludedFile string

	extra extraFields
}

// Thinking is the model's reasoning; it is shown but never sent back.
type Thinking struct {
	Thought string

	extra extraFields
}

// ToolCall is a request of the model to run a tool.
type ToolCall struct {
	ID   string
	Name string
	// Parameters is the JSON the model sent. Any JSON value is possible: models
	// send null, strings and lists too. Arguments that were not JSON at all are
	// kept as a JSON string.
	Parameters json.RawMessage

	extra extraFields
	args  callArgs
}

// ToolResponse is the answer to the latest earlier call with its id (D-11).
type ToolResponse struct {
	CallID   string
	ToolName string
	Result   Result
	// Error is why the call failed, or empty.
	Error string
	// ExitCode is the exit status of a command that ran, else nil.
	ExitCode *int

	extra extraFields
}

// Media is an image or another binary part, base64 encoded.
type Media struct {
	MimeType string
	Data     string

	extra extraFields
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

// Result is what a tool answered: a string, or any other JSON value kept as it
// came. The zero Result is JSON null.
type Result struct {
	raw  json.RawMessage
	text string
	str  bool
}

// TextResult returns a Result that is the string s.
func TextResult(s string) Result { return Result{text: s, str: true} }

// Text returns the string itself, or the compact JSON of any other value; null
// is the empty string.
func (r Result) Text() string {
	if r.str {
		return r.text
	}
	if len(r.raw) == 0 || string(r.raw) == "null" {
		return ""
	}
	return string(r.raw)
}

// MarshalJSON implements json.Marshaler.
func (r Result) MarshalJSON() ([]byte, error) {
	if r.str {
		return marshal(r.text)
	}
	if len(r.raw) == 0 {
		return []byte("null"), nil
	}
	return r.raw, nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *Result) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	if len(data) > 0 && data[0] == '"' {
		*r = Result{str: true}
		return json.Unmarshal(data, &r.text)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, data); err != nil {
		return err
	}
	*r = Result{raw: compact.Bytes()}
	return nil
}

// maxIndexedArg bounds the arguments callArgs keeps, so that the index of a
// write_file call does not hold its content a second time.
const maxIndexedArg = 8 << 10

// callArgs is the memoised index of a call's short arguments. Density asks for
// a call's path on every turn; the parameters are parsed once.
type callArgs struct {
	once   sync.Once
	values map[string]any
}

// Arg returns the top-level parameter key, decoded. It reports false when the
// parameters are not an object, the key is absent, or its JSON is longer than
// 8 KiB: it serves paths, commands and patterns, not file contents. The value
// is shared and must not be changed.
func (c *ToolCall) Arg(key string) (any, bool) {
	c.args.once.Do(func() { c.args.values = indexArgs(c.Parameters) })
	v, ok := c.args.values[key]
	return v, ok
}

// StringArg returns the top-level parameter key if it is a string (and short,
// see Arg), else "".
func (c *ToolCall) StringArg(key string) string {
	v, _ := c.Arg(key)
	s, _ := v.(string)
	return s
}

func indexArgs(parameters json.RawMessage) map[string]any {
	if len(parameters) <= maxIndexedArg {
		var all map[string]any
		if json.Unmarshal(parameters, &all) != nil {
			return nil
		}
		return all
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(parameters, &all) != nil {
		return nil
	}
	short := make(map[string]any, len(all))
	for key, value := range all {
		var decoded any
		if len(value) <= maxIndexedArg && json.Unmarshal(value, &decoded) == nil {
			short[key] = decoded
		}
	}
	return short
}
