// Package rawjson reads and writes JSON for programs and people, changes members of files that
// several programs share, and finds the positions of errors.
package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"unicode/utf16"
	"unicode/utf8"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
)

// Marshal is like json.Marshal, but does not escape <, > and &. Code contains many of them, and
// only web pages need the escapes.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Canonical encodes v with sorted members, without spaces, and with all digits of numbers.
func Canonical(v any) ([]byte, error) {
	data, err := Marshal(v)
	if err != nil {
		return nil, err
	}
	plain, err := Decode(data)
	if err != nil {
		return nil, err
	}
	return Marshal(plain)
}

// Decode returns the value at the beginning of data. It decodes numbers as json.Number, which keeps
// all their digits.
func Decode(data []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	err = d.Decode(&value)
	return value, err
}

// Write writes v as one line of JSON. It escapes characters that are invisible or reorder text, so
// that the line is safe to print to a terminal.
func Write(out io.Writer, v any) error { return write(out, v, "") }

// WriteIndented writes v for people, with two spaces per level. It escapes as Write does.
func WriteIndented(out io.Writer, v any) error { return write(out, v, "  ") }

func write(out io.Writer, v any, indent string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := out.Write(escapeHidden(b.Bytes()))
	return err
}

// escapeHidden escapes the hidden characters of a JSON text. They can only be in strings.
func escapeHidden(text []byte) []byte {
	plain := func(r rune) bool { return r != '\x7f' && r < 0x80 || !humanize.IsHidden(r) }
	if bytes.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	var out []byte
	for _, r := range string(text) {
		switch {
		case plain(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// Position is a position in a file. Both numbers count from 1, Column in bytes.
type Position struct{ Line, Column int }

// String returns the place as line:column, as compilers do.
func (p Position) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }

// PositionAt returns the position of the byte at offset. An offset outside of data means the nearest
// end.
func PositionAt(data []byte, offset int) Position {
	before := data[:min(max(offset, 0), len(data))]
	return Position{
		Line:   bytes.Count(before, []byte("\n")) + 1,
		Column: len(before) - bytes.LastIndexByte(before, '\n'),
	}
}

// Merge returns the JSON object in file with the members of v added or replaced, indented for
// people. file is the content of a file and must contain an object or be empty.
func Merge(file []byte, v any) ([]byte, error) {
	all := map[string]json.RawMessage{}
	if len(file) > 0 {
		if err := json.Unmarshal(file, &all); err != nil {
			return nil, err
		}
	}
	data, err := Marshal(v)
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = WriteIndented(&b, all)
	return b.Bytes(), err
}

// ReadShared reads the members of a T from the JSON object in a file. Other packages may own other
// members of the file. A missing file has no members.
func ReadShared[T any](path string) (members T, err error) {
	data, err := fsutil.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return members, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &members)
	}
	if err != nil {
		var none T
		return none, err
	}
	return members, nil
}

// ChangeShared changes the members of a T in the JSON object in a file that several programs change.
// It keeps other members, and the changes that other programs make at the same time. Only the user
// can read the file afterwards.
func ChangeShared[T any](path string, change func(*T)) error {
	return fsutil.UpdateFile(path, func(data []byte) ([]byte, error) {
		var members T
		if data != nil {
			if err := json.Unmarshal(data, &members); err != nil {
				return nil, err
			}
		}
		change(&members)
		return Merge(data, members)
	})
}
