package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"agent/internal/rawjson"
)

// version is the version of the files written; files of a later one are left
// alone.
const version = 1

// document is a JSON object that keeps its fields in order, those it does not
// know among them, and remembers where each one is.
type document []field

type field struct {
	key string
	raw json.RawMessage
	// offset is where the value begins in the file, in bytes.
	offset int
}

// fault is something wrong at a place of a document.
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

// parseDocument reads a whole file. Errors are *fault.
func parseDocument(data []byte) (document, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, &fault{problem: "the file is empty; it should hold a JSON object"}
	}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			// The offset is that of the byte after the one at fault.
			return nil, &fault{offset: int(syntax.Offset) - 1, problem: "not valid JSON: " + syntax.Error()}
		}
		return nil, &fault{problem: err.Error()}
	}
	return parseObject(data, 0, "")
}

// parseObject reads valid JSON as an object. base is where data begins in the
// file, name the field it belongs to.
func parseObject(data []byte, base int, name string) (document, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil, &fault{base, name, "must be a JSON object"}
	}
	var d document
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, &fault{base, name, err.Error()}
		}
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil && !errors.Is(err, io.EOF) {
			return nil, &fault{base, name, err.Error()}
		}
		f := field{key.(string), raw, base + int(decoder.InputOffset()) - len(raw)}
		if _, twice := d.get(f.key); twice {
			return nil, &fault{f.offset, join(name, f.key), "is there twice"}
		}
		d = append(d, f)
	}
	return d, nil
}

// join is the path of a field inside another.
func join(name, key string) string {
	if name == "" {
		return key
	}
	return name + "." + key
}

func (d document) get(key string) (field, bool) {
	for _, f := range d {
		if f.key == key {
			return f, true
		}
	}
	return field{}, false
}

// with returns d with key set to value, in its place or at the end. A nil value
// removes the key.
func (d document) with(key string, value any) (document, error) {
	raw, err := rawjson.Marshal(value)
	if err != nil {
		return nil, err
	}
	edited, at := slices.Clone(d), slices.IndexFunc(d, func(f field) bool { return f.key == key })
	switch {
	case value == nil && at < 0:
		return edited, nil
	case value == nil:
		return slices.Delete(edited, at, at+1), nil
	case at < 0:
		return append(edited, field{key: key, raw: raw}), nil
	}
	edited[at].raw = raw
	return edited, nil
}

// MarshalJSON writes the fields in order.
func (d document) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, f := range d {
		key, err := rawjson.Marshal(f.key)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, key...), ':'), f.raw...)
	}
	return append(out, '}'), nil
}

// checkVersion refuses documents of a version this program does not know. A file
// without one, written by hand, is taken as the first.
func (d document) checkVersion() error {
	f, ok := d.get(fieldVersion)
	if !ok {
		return nil
	}
	var v int
	if json.Unmarshal(f.raw, &v) != nil || v < 1 {
		return &fault{f.offset, fieldVersion, fmt.Sprintf("must be %d", version)}
	}
	if v > version {
		return &fault{f.offset, fieldVersion, fmt.Sprintf("is %d and this program knows up to %d; a newer agent wrote the file", v, version)}
	}
	return nil
}
