package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Document is a history outside a session, as the context commands read it:
// {"workspaceRoot":"/w","history":[ENTRY,…],"config"?:{…}}.
type Document struct {
	WorkspaceRoot string
	History       []*Content
	// Config holds settings for the engine, undecoded; DocumentError places them.
	Config map[string]json.RawMessage

	data []byte
}

// DocumentError says where in a document what is wrong.
type DocumentError struct {
	// Line counts from 1.
	Line    int
	Field   string
	Problem string
}

func (e *DocumentError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("line %d: %s", e.Line, e.Problem)
	}
	return fmt.Sprintf("line %d: %s: %s", e.Line, e.Field, e.Problem)
}

// ParseDocument reads a document. Every error is a *DocumentError with the line
// and the field at fault. Unknown fields beside the three are ignored.
func ParseDocument(data []byte) (*Document, error) {
	if line, problem := syntaxProblem(data); problem != "" {
		return nil, &DocumentError{Line: line, Problem: problem}
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil {
		return nil, &DocumentError{Line: 1, Problem: `is not an object with "workspaceRoot" and "history"`}
	}
	d := &Document{data: data}
	if raw, ok := fields["workspaceRoot"]; ok && json.Unmarshal(raw, &d.WorkspaceRoot) != nil {
		return nil, d.wrong(raw, "workspaceRoot", "must be a string")
	}
	if raw, ok := fields["config"]; ok && json.Unmarshal(raw, &d.Config) != nil {
		return nil, d.wrong(raw, "config", "must be an object")
	}
	raw, ok := fields["history"]
	if !ok {
		return nil, &DocumentError{Line: 1, Field: "history", Problem: "is missing"}
	}
	return d, d.readHistory(raw)
}

// readHistory decodes the entries, walking the list so that the place of each is
// known.
func (d *Document) readHistory(raw json.RawMessage) error {
	start := d.offset(raw)
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if open, err := decoder.Token(); err != nil || open != json.Delim('[') {
		return d.wrong(raw, "history", "must be a list")
	}
	d.History = []*Content{}
	for i := 0; decoder.More(); i++ {
		var entry json.RawMessage
		if err := decoder.Decode(&entry); err != nil {
			return d.wrong(raw, "history", err.Error())
		}
		at := start + int(decoder.InputOffset()) - len(entry)
		var c Content
		if err := c.UnmarshalJSON(entry); err != nil {
			return d.wrongEntry(i, at, err)
		}
		d.History = append(d.History, &c)
	}
	return nil
}

func (d *Document) wrongEntry(index, at int, err error) error {
	field := fmt.Sprintf("history[%d]", index)
	var wrong *FieldError
	if !errors.As(err, &wrong) {
		return &DocumentError{Line: d.line(at), Field: field, Problem: err.Error()}
	}
	if wrong.Path != "" {
		field += "." + wrong.Path
	}
	return &DocumentError{Line: d.line(at + int(wrong.Offset)), Field: field, Problem: wrong.Problem}
}

// ConfigError places a problem with one key of Config.
func (d *Document) ConfigError(key, problem string) error {
	return d.wrong(d.Config[key], "config."+key, problem)
}

func (d *Document) wrong(raw json.RawMessage, field, problem string) error {
	return &DocumentError{Line: d.line(d.offset(raw)), Field: field, Problem: problem}
}

// offset finds a decoded part in the document.
func (d *Document) offset(raw json.RawMessage) int { return max(0, bytes.Index(d.data, raw)) }

func (d *Document) line(offset int) int {
	return 1 + bytes.Count(d.data[:min(offset, len(d.data))], []byte("\n"))
}

// syntaxProblem says where data stops being JSON.
func syntaxProblem(data []byte) (line int, problem string) {
	var anything json.RawMessage
	err := json.Unmarshal(data, &anything)
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return 0, ""
	case len(bytes.TrimSpace(data)) == 0:
		return 1, "is empty; expected a JSON document"
	case errors.As(err, &syntax):
		end := min(int(syntax.Offset), len(data))
		return 1 + bytes.Count(data[:end], []byte("\n")), "is not valid JSON: " + err.Error()
	default:
		return 1, "is not valid JSON: " + err.Error()
	}
}
