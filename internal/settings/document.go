package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"agent/internal/base/rawjson"

	"github.com/tailscale/hujson"
)

// version is the version of the files that this program writes. The program does not change files
// with a later version.
const version = 1

// document is a JSON object that keeps the order and formatting of its fields, including unknown
// fields.
type document struct{ object *hujson.Object }

// fault is an error at an offset in a document.
type fault struct {
	offset  int
	field   string
	problem string
}

func (f *fault) Error() string {
	if f.field == "" {
		return f.problem
	}
	return f.field + ": " + f.problem
}

func newDocument() document { return document{&hujson.Object{}} }

// parseDocument reads a whole file. Errors are *fault.
func parseDocument(data []byte) (document, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return document{}, &fault{problem: "the file is empty; it must contain a JSON object"}
	}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil { // hujson would accept comments
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			// The offset is one past the wrong byte.
			return document{}, &fault{offset: int(syntax.Offset) - 1, problem: "not valid JSON: " + syntax.Error()}
		}
		return document{}, &fault{problem: err.Error()}
	}
	value, err := hujson.Parse(data)
	if err != nil {
		return document{}, &fault{problem: err.Error()}
	}
	return object(value, "")
}

// object returns the value of the field called name as a document.
func object(value hujson.Value, name string) (document, error) {
	o, ok := value.Value.(*hujson.Object)
	if !ok {
		return document{}, &fault{value.StartOffset, name, "must be a JSON object"}
	}
	seen := map[string]bool{}
	for _, m := range o.Members {
		if seen[key(m)] {
			return document{}, &fault{m.Value.StartOffset, join(name, key(m)), "appears twice"}
		}
		seen[key(m)] = true
	}
	return document{o}, nil
}

func key(m hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// raw returns the value of a field as it is in the file.
func raw(m hujson.ObjectMember) json.RawMessage { return hujson.Value{Value: m.Value.Value}.Pack() }

// join returns the path of a field inside another field.
func join(name, key string) string {
	if name == "" {
		return key
	}
	return name + "." + key
}

// get returns the field with a name, or nil.
func (d document) get(name string) *hujson.ObjectMember {
	for i := range d.object.Members {
		if key(d.object.Members[i]) == name {
			return &d.object.Members[i]
		}
	}
	return nil
}

// set sets a field to a value. A new field is added at the end.
func (d document) set(name string, value any) error {
	text, err := rawjson.Marshal(value)
	if err != nil {
		return err
	}
	parsed, err := hujson.Parse(text)
	if err != nil {
		return err
	}
	if field := d.get(name); field != nil {
		field.Value = parsed
		return nil
	}
	d.object.Members = append(d.object.Members, hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(name)}, Value: parsed})
	return nil
}

// checkVersion returns an error for a document of an unknown version. A file without a version was
// written by hand and counts as version 1.
func (d document) checkVersion() error {
	field := d.get(fieldVersion)
	if field == nil {
		return nil
	}
	var v int
	if json.Unmarshal(raw(*field), &v) != nil || v < 1 {
		return &fault{field.Value.StartOffset, fieldVersion, fmt.Sprintf("must be %d", version)}
	}
	if v > version {
		return &fault{field.Value.StartOffset, fieldVersion, fmt.Sprintf("is %d, from a newer version of agent; this version supports at most %d", v, version)}
	}
	return nil
}
