package history

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Document is a history outside a session, as read by the context commands:
// {"workspaceRoot":"/w","history":[ENTRY,…],"config"?:{…}}.
type Document struct {
	WorkspaceRoot string
	History       []*Content
	// Config contains settings for the engine as raw JSON. ConfigError returns an error in one of them
	// with its position.
	Config map[string]stdjson.RawMessage

	data []byte
}

// WriteDocument returns a history as a document that ParseDocument reads, with one entry per line.
func WriteDocument(workspaceRoot string, entries []*Content) ([]byte, error) {
	var b bytes.Buffer
	root, err := json.Marshal(workspaceRoot)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "{\"workspaceRoot\":%s,\n\"history\":[", root)
	for i, entry := range entries {
		if i > 0 {
			b.WriteByte(',')
		}
		text, err := entry.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("can't write entry %d as JSON: %w", i, err)
		}
		b.WriteByte('\n')
		b.Write(text)
	}
	b.WriteString("\n]}\n")
	return b.Bytes(), nil
}

// DocumentError reports an error in a document, with its position.
type DocumentError struct {
	// Line counts from 1.
	Line int
	// Field is the path of the faulty member, or "" for the document as a whole.
	Field   string
	Problem string
}

func (e *DocumentError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("line %d: %s", e.Line, e.Problem)
	}
	return fmt.Sprintf("line %d: %s: %s", e.Line, e.Field, e.Problem)
}

// ParseDocument reads a document. Every error is a *DocumentError with the line and the field of the
// error. Members other than the three are ignored.
func ParseDocument(data []byte) (*Document, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, &DocumentError{Line: 1, Problem: "is empty; expected a JSON document"}
	}
	d := &Document{data: data}
	var fields struct {
		WorkspaceRoot string                        `json:"workspaceRoot"`
		History       []jsontext.Value              `json:"history"`
		Config        map[string]stdjson.RawMessage `json:"config"`
	}
	err := json.Unmarshal(data, &fields, asItCame)
	switch {
	case err == nil && jsontext.Value(data).Kind() != '{':
		err = &FieldError{}
	case err == nil && fields.History == nil:
		err = required(data, "/history", "a list")
	}
	if err != nil {
		return nil, d.place("", err)
	}
	d.WorkspaceRoot, d.Config = fields.WorkspaceRoot, fields.Config
	d.History = make([]*Content, len(fields.History))
	for i, entry := range fields.History {
		d.History[i] = new(Content)
		if err := d.History[i].UnmarshalJSON(entry); err != nil {
			return nil, d.place(jsontext.Pointer(fmt.Sprintf("/history/%d", i)), err)
		}
		d.History[i] = markImported(d.History[i])
	}
	return d, nil
}

// markImported marks the text of an entry as text of another program (D-46).
func markImported(c *Content) *Content {
	return editBlocks(c, func(b Block) Block {
		if text, ok := b.(*Text); ok {
			return text.Imported()
		}
		return b
	})
}

// ConfigError returns an error about one key of Config, with its position.
func (d *Document) ConfigError(key, problem string) error {
	return d.wrong(jsontext.Pointer("/config").AppendToken(key), problem)
}

// place converts err, which occurred while reading the value at at, to a *DocumentError with its line.
func (d *Document) place(at jsontext.Pointer, err error) error {
	if syntax := (*jsontext.SyntacticError)(nil); errors.As(err, &syntax) {
		// A syntax error at the end of the document belongs to the last line, not to the empty line
		// after it.
		stop := min(int(syntax.ByteOffset), len(bytes.TrimRight(d.data, " \t\r\n")))
		return &DocumentError{Line: lineAt(d.data, stop), Problem: "is not valid JSON: " + syntax.Err.Error()}
	}
	wrong := (*FieldError)(nil)
	switch err := fieldError(err); {
	case !errors.As(err, &wrong):
		return d.wrong(at, err.Error())
	case at == "" && wrong.At == "":
		return d.wrong("", `is not an object with "workspaceRoot" and "history"`)
	}
	return d.wrong(at+wrong.At, wrong.Problem)
}

func (d *Document) wrong(at jsontext.Pointer, problem string) error {
	start, _ := offset(d.data, at)
	return &DocumentError{Line: lineAt(d.data, start), Field: fieldName(at), Problem: problem}
}

func lineAt(data []byte, offset int) int { return 1 + bytes.Count(data[:offset], []byte("\n")) }
