package history

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// FieldError says which field of an entry is wrong.
type FieldError struct {
	// Path is relative to the entry, for example blocks[2].callId; empty for the
	// entry as a whole.
	Path    Path
	Problem string
}

func (e *FieldError) Error() string {
	if len(e.Path) == 0 {
		return e.Problem
	}
	return e.Path.String() + ": " + e.Problem
}

// UnmarshalJSON reads an entry. A wrong field is reported as *FieldError and
// leaves c unchanged; unknown fields are kept.
func (c *Content) UnmarshalJSON(data []byte) error {
	if entry, ok := decodeCanonical(data); ok {
		*c = *entry
		return nil
	}
	return c.decodeAny(data)
}

// decodeAny reads an entry whose fields may come in any order.
func (c *Content) decodeAny(data []byte) error {
	o, err := openObject(data, nil)
	if err != nil {
		return err
	}
	var entry Content
	var speaker string
	var blocks []json.RawMessage
	o.required("speaker", &speaker)
	o.required("blocks", &blocks)
	o.optional("metadata", &entry.Metadata)
	if o.err != nil {
		return o.err
	}
	entry.Speaker = Speaker(speaker)
	if entry.Speaker != Human && entry.Speaker != AI && entry.Speaker != Tool {
		return o.wrong("speaker", fmt.Sprintf("%q is not one of human, ai, tool", speaker))
	}
	entry.Blocks = make([]Block, len(blocks))
	for i, raw := range blocks {
		block, err := decodeBlock(raw, Path{"blocks", i})
		if err != nil {
			return err
		}
		entry.Blocks[i] = block
	}
	entry.extra = o.rest()
	*c = entry
	return nil
}

// decodeBlock reads one block; path names it in errors.
func decodeBlock(data []byte, path Path) (Block, error) {
	o, err := openObject(data, path)
	if err != nil {
		return nil, err
	}
	var kind string
	o.required("type", &kind)
	if o.err != nil {
		return nil, o.err
	}
	var block Block
	switch kind {
	case "text":
		b := &Text{}
		o.required("text", &b.Text)
		o.optional("includedFile", &b.IncludedFile)
		block, b.extra = b, o.rest()
	case "thinking":
		b := &Thinking{}
		o.required("thought", &b.Thought)
		block, b.extra = b, o.rest()
	case "tool_call":
		b := &ToolCall{}
		o.required("id", &b.ID)
		o.required("name", &b.Name)
		o.compact("parameters", &b.Parameters)
		block, b.extra = b, o.rest()
	case "tool_response":
		b := &ToolResponse{}
		o.required("callId", &b.CallID)
		o.required("toolName", &b.ToolName)
		o.optional("result", &b.Result)
		o.optional("error", &b.Error)
		o.optional("exitCode", &b.ExitCode)
		block, b.extra = b, o.rest()
	case "media":
		b := &Media{}
		o.required("mimeType", &b.MimeType)
		o.required("data", &b.Data)
		block, b.extra = b, o.rest()
	default:
		return nil, o.wrong("type", fmt.Sprintf("unknown block type %q; known are text, thinking, tool_call, tool_response, media", kind))
	}
	if o.err != nil {
		return nil, o.err
	}
	return block, nil
}

// object reads a JSON object field by field and remembers the first problem.
type object struct {
	path   Path
	fields map[string]json.RawMessage
	err    error
}

func openObject(data []byte, path Path) (*object, error) {
	o := &object{path: path}
	if err := json.Unmarshal(data, &o.fields); err != nil || o.fields == nil {
		return nil, &FieldError{Path: path, Problem: "is not a JSON object"}
	}
	return o, nil
}

func (o *object) required(name string, into any) {
	raw, ok := o.fields[name]
	switch {
	case o.err != nil:
	case !ok:
		o.err = o.wrong(name, "is missing")
	case string(raw) == "null":
		o.err = o.wrong(name, "must be "+wanted(into))
	}
	o.optional(name, into)
}

// optional reads a field that may be absent; null counts as absent, except for
// values that hold JSON themselves.
func (o *object) optional(name string, into any) {
	raw, ok := o.fields[name]
	if !ok || o.err != nil {
		return
	}
	delete(o.fields, name)
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if decoder.Decode(into) != nil {
		o.err = o.wrong(name, "must be "+wanted(into))
	}
}

// compact reads any JSON value as it is, without the white space around it.
func (o *object) compact(name string, into *json.RawMessage) {
	raw, ok := o.fields[name]
	if !ok {
		return
	}
	delete(o.fields, name)
	var b bytes.Buffer
	if json.Compact(&b, raw) == nil {
		*into = b.Bytes()
	}
}

func (o *object) wrong(name, problem string) error {
	return &FieldError{Path: o.path.then(name), Problem: problem}
}

func (o *object) rest() extraFields {
	if len(o.fields) == 0 {
		return nil
	}
	return o.fields
}

func wanted(into any) string {
	switch into.(type) {
	case *string:
		return "a string"
	case **int:
		return "a whole number"
	case *[]json.RawMessage:
		return "a list"
	default:
		return "an object"
	}
}
