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
	// Config holds settings for the engine, undecoded; ConfigError places what is
	// wrong with them.
	Config map[string]json.RawMessage

	data []byte
}

// DocumentError says where in a document what is wrong.
type DocumentError struct {
	// Line counts from 1.
	Line int
	// Field is the path of what is wrong, empty for the document as a whole.
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
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if err := syntaxError(data); err != nil {
		return nil, err
	}
	d := &Document{data: data}
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil || fields == nil {
		return nil, d.wrong(nil, `is not an object with "workspaceRoot" and "history"`)
	}
	if raw, ok := fields["workspaceRoot"]; ok && json.Unmarshal(raw, &d.WorkspaceRoot) != nil {
		return nil, d.wrong(Path{"workspaceRoot"}, "must be a string")
	}
	if raw, ok := fields["config"]; ok && json.Unmarshal(raw, &d.Config) != nil {
		return nil, d.wrong(Path{"config"}, "must be an object")
	}
	raw, ok := fields["history"]
	if !ok {
		return nil, d.wrong(Path{"history"}, "is missing")
	}
	if err := d.readHistory(raw); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *Document) readHistory(raw json.RawMessage) error {
	var entries []json.RawMessage
	if json.Unmarshal(raw, &entries) != nil || entries == nil {
		return d.wrong(Path{"history"}, "must be a list")
	}
	d.History = make([]*Content, len(entries))
	for i, entry := range entries {
		d.History[i] = new(Content)
		err := d.History[i].UnmarshalJSON(entry)
		var wrong *FieldError
		switch at := (Path{"history", i}); {
		case errors.As(err, &wrong):
			return d.wrong(at.then(wrong.Path...), wrong.Problem)
		case err != nil:
			return d.wrong(at, err.Error())
		}
	}
	return nil
}

// ConfigError is a problem with one key of Config, with its place.
func (d *Document) ConfigError(key, problem string) error {
	return d.wrong(Path{"config", key}, problem)
}

func (d *Document) wrong(at Path, problem string) error {
	return &DocumentError{Line: lineAt(d.data, at.offset(d.data)), Field: at.String(), Problem: problem}
}

func lineAt(data []byte, offset int) int { return 1 + bytes.Count(data[:offset], []byte("\n")) }

// syntaxError says where data stops being JSON, if it does.
func syntaxError(data []byte) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return &DocumentError{Line: 1, Problem: "is empty; expected a JSON document"}
	}
	var anything json.RawMessage
	err := json.Unmarshal(data, &anything)
	if err == nil {
		return nil
	}
	line := 1
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		// The offset counts the byte at fault, which may itself be a line break.
		line = lineAt(data, max(0, int(syntax.Offset)-1))
	}
	return &DocumentError{Line: line, Problem: "is not valid JSON: " + err.Error()}
}
