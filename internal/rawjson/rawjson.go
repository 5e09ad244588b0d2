// Package rawjson writes JSON as programs and people read it, and says where in a
// file a fault is.
package rawjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Marshal is json.Marshal that leaves <, > and & as they are: code is full of
// them, and the escapes serve only web pages.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	if err := Write(&b, v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Write writes v as one line of JSON, its line break included, escaped as Marshal
// does.
func Write(out io.Writer, v any) error { return encoder(out).Encode(v) }

// WriteIndented writes v for people, two spaces a level, escaped as Marshal does.
func WriteIndented(out io.Writer, v any) error {
	e := encoder(out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func encoder(out io.Writer) *json.Encoder {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	return e
}

// Place is a position in a file. Both numbers count from 1, Column in bytes.
type Place struct{ Line, Column int }

// String writes line:column, as compilers do.
func (p Place) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }

// PlaceOf returns the place of the byte at offset; one outside data is taken for
// the nearest end.
func PlaceOf(data []byte, offset int) Place {
	before := data[:min(max(offset, 0), len(data))]
	return Place{
		Line:   bytes.Count(before, []byte("\n")) + 1,
		Column: len(before) - bytes.LastIndexByte(before, '\n'),
	}
}
