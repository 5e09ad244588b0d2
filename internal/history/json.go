package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
)

// FieldError says which field of an entry is wrong. Path is relative to the
// entry, for example "blocks[2].callId".
type FieldError struct {
	Path    string
	Problem string
	// Offset is the position of the field's value in the entry's JSON, -1 when
	// it is not known.
	Offset int64
}

func (e *FieldError) Error() string {
	if e.Path == "" {
		return e.Problem
	}
	return e.Path + ": " + e.Problem
}

// MarshalJSON writes the entry in the shape of the session log: known fields in
// a fixed order, then fields this version does not know, sorted.
func (c *Content) MarshalJSON() ([]byte, error) {
	w := newObject()
	w.field("speaker", string(c.Speaker))
	blocks := c.Blocks
	if blocks == nil {
		blocks = []Block{}
	}
	w.field("blocks", blocks)
	if len(c.Metadata) > 0 {
		w.field("metadata", c.Metadata)
	}
	return w.close(c.extra)
}

// MarshalJSON implements json.Marshaler.
func (t *Text) MarshalJSON() ([]byte, error) {
	w := newBlockObject(t)
	w.field("text", t.Text)
	w.optional("includedFile", t.IncludedFile)
	return w.close(t.extra)
}

// MarshalJSON implements json.Marshaler.
func (t *Thinking) MarshalJSON() ([]byte, error) {
	w := newBlockObject(t)
	w.field("thought", t.Thought)
	return w.close(t.extra)
}

// MarshalJSON implements json.Marshaler.
func (c *ToolCall) MarshalJSON() ([]byte, error) {
	w := newBlockObject(c)
	w.field("id", c.ID)
	w.field("name", c.Name)
	parameters := c.Parameters
	if len(parameters) == 0 {
		parameters = json.RawMessage("null")
	}
	w.field("parameters", parameters)
	return w.close(c.extra)
}

// MarshalJSON implements json.Marshaler.
func (r *ToolResponse) MarshalJSON() ([]byte, error) {
	w := newBlockObject(r)
	w.field("callId", r.CallID)
	w.field("toolName", r.ToolName)
	w.field("result", r.Result)
	w.optional("error", r.Error)
	if r.ExitCode != nil {
		w.field("exitCode", *r.ExitCode)
	}
	return w.close(r.extra)
}

// MarshalJSON implements json.Marshaler.
func (m *Media) MarshalJSON() ([]byte, error) {
	w := newBlockObject(m)
	w.field("mimeType", m.MimeType)
	w.field("data", m.Data)
	return w.close(m.extra)
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
	o, err := openObject(data, "")
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
		block, err := decodeBlock(raw, fmt.Sprintf("blocks[%d]", i))
		if err != nil {
			return locate(err, data, raw)
		}
		entry.Blocks[i] = block
	}
	entry.extra = o.rest()
	*c = entry
	return nil
}

// decodeBlock reads one block; path names it in errors.
func decodeBlock(data []byte, path string) (Block, error) {
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
	data   []byte
	path   string
	fields map[string]json.RawMessage
	err    error
}

func openObject(data []byte, path string) (*object, error) {
	o := &object{data: data, path: path}
	if err := json.Unmarshal(data, &o.fields); err != nil || o.fields == nil {
		return nil, &FieldError{Path: path, Problem: "is not a JSON object", Offset: 0}
	}
	return o, nil
}

func (o *object) required(name string, into any) {
	if _, ok := o.fields[name]; !ok && o.err == nil {
		o.err = &FieldError{Path: o.join(name), Problem: "is missing", Offset: 0}
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
	if err := decoder.Decode(into); err != nil {
		o.err = locate(&FieldError{Path: o.join(name), Problem: "must be " + wanted(into)}, o.data, raw)
	}
}

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

// wrong reports a field whose value was read but makes no sense.
func (o *object) wrong(name, problem string) error {
	return &FieldError{Path: o.join(name), Problem: problem, Offset: 0}
}

func (o *object) rest() extraFields {
	if len(o.fields) == 0 {
		return nil
	}
	return o.fields
}

func (o *object) join(name string) string {
	if o.path == "" {
		return name
	}
	return o.path + "." + name
}

// locate adds the position of part within whole to a FieldError's offset.
func locate(err error, whole, part []byte) error {
	field, ok := err.(*FieldError)
	if !ok {
		return err
	}
	if i := bytes.Index(whole, part); i >= 0 && field.Offset >= 0 {
		field.Offset += int64(i)
	}
	return field
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

// objectWriter builds one JSON object with its fields in the order given.
type objectWriter struct {
	buf bytes.Buffer
	err error
}

func newObject() *objectWriter {
	w := &objectWriter{}
	w.buf.WriteByte('{')
	return w
}

func newBlockObject(b Block) *objectWriter {
	w := newObject()
	w.field("type", b.Kind())
	return w
}

func (w *objectWriter) optional(name, value string) {
	if value != "" {
		w.field(name, value)
	}
}

func (w *objectWriter) field(name string, value any) {
	if w.err != nil {
		return
	}
	if w.buf.Len() > 1 {
		w.buf.WriteByte(',')
	}
	w.buf.WriteByte('"')
	w.buf.WriteString(name)
	w.buf.WriteString(`":`)
	data, err := marshal(value)
	w.err = err
	w.buf.Write(data)
}

func (w *objectWriter) close(extra extraFields) ([]byte, error) {
	names := make([]string, 0, len(extra))
	for name := range extra {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		quoted, err := marshal(name)
		if err != nil {
			return nil, err
		}
		w.buf.WriteByte(',')
		w.buf.Write(quoted)
		w.buf.WriteByte(':')
		w.buf.Write(extra[name])
	}
	w.buf.WriteByte('}')
	return w.buf.Bytes(), w.err
}

// marshal is json.Marshal without escaping <, > and &, which would bloat code.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
