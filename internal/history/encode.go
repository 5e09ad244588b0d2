package history

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

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
	if c.Metadata != nil {
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
	for _, name := range slices.Sorted(maps.Keys(extra)) {
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
