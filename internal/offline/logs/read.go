package logs

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"time"
)

// A reader reads the records of a log into a conversation, one line at a time. If the form is one
// object over many lines, the file counts as one line.
type reader struct {
	into *conversation
	// line adds a record. It returns errDamaged if the record cannot be parsed.
	line func(line []byte) error
}

// A form describes how one program records sessions.
type form struct {
	agent string
	// whole is set if a file is one JSON object.
	whole bool
	// is reports whether a record, or a file that is one object, has the form. m contains its members.
	is func(m map[string]json.RawMessage) bool
	// names maps the names of the program's tools to ours. Other tools keep their names.
	names map[string]string
	// lines returns the function that reads a line into a conversation.
	lines func(*conversation) func(line []byte) error
}

var forms = []form{
	{"codex", false, isCodex, nil, func(c *conversation) func([]byte) error { return (&codex{into: c}).line }},
	{"pi", false, isPi, piNames, func(c *conversation) func([]byte) error { return pi{c}.line }},
	{"gemini", false, func(m map[string]json.RawMessage) bool { return has(m, "sessionId", "projectHash") }, nil, func(c *conversation) func([]byte) error { return gemini{c}.line }},
	{"claude", false, isClaude, claudeNames, func(c *conversation) func([]byte) error {
		return (&claude{into: c, chains: map[string]string{}}).line
	}},
	{"opencode", true, func(m map[string]json.RawMessage) bool { return has(m, "info", "messages") }, opencodeNames, func(c *conversation) func([]byte) error { return opencode{c}.line }},
}

// reader returns a new reader of the form.
func (f form) reader(use func(Span) error) *reader {
	into := newConversation(f, use)
	return &reader{into, f.lines(into)}
}

func has(m map[string]json.RawMessage, names ...string) bool {
	for _, name := range names {
		if _, ok := m[name]; !ok {
			return false
		}
	}
	return true
}

func isCodex(m map[string]json.RawMessage) bool {
	if has(m, "payload", "type") && !has(m, "v") {
		return true
	}
	// Until 2025 the first line had no type, and items had no envelope.
	return has(m, "id", "timestamp", "instructions") || has(m, "type", "role", "content") && !has(m, "message")
}

func isPi(m map[string]json.RawMessage) bool {
	return has(m, "type", "version", "id", "cwd") && string(m["type"]) == `"session"`
}

func isClaude(m map[string]json.RawMessage) bool {
	if !has(m, "type") || has(m, "v") {
		return false
	}
	return has(m, "sessionId") || has(m, "leafUuid") || has(m, "messageId", "snapshot")
}

// looked is the number of lines examined to detect the form of a file, because the first lines may be
// damaged.
const looked = 20

// Read reads a session and calls use with each of its spans, in order. If the file has no known form,
// the error matches ErrUnknown.
func Read(r io.Reader, use func(Span) error) (UnusedParts, error) {
	var notes UnusedParts
	var reading *reader
	var head [][]byte
	err := eachLine(r, &notes, func(line []byte) error {
		if reading != nil {
			return feed(reading, line, &notes)
		}
		f := formOf(line)
		if f == nil {
			if len(head) == 0 && isOpen(line) {
				return errWhole
			}
			if head = append(head, bytes.Clone(line)); len(head) == looked {
				return ErrUnknown
			}
			return nil
		}
		if f.whole {
			return errWhole
		}
		reading = f.reader(use)
		for _, earlier := range head {
			if err := feed(reading, earlier, &notes); err != nil {
				return err
			}
		}
		return feed(reading, line, &notes)
	})
	switch {
	case err != nil:
		return notes, err
	case reading == nil:
		return notes, ErrUnknown
	}
	return notes, reading.into.finish()
}

// errWhole means that a file is one JSON object over many lines.
var errWhole = errors.New("one object")

// ReadFile does the same as Read, and also reads files that are one JSON object, for which it reads r
// twice.
func ReadFile(r io.ReadSeeker, use func(Span) error) (UnusedParts, error) {
	notes, err := Read(r, use)
	if !errors.Is(err, errWhole) {
		return notes, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return notes, err
	}
	data, err := io.ReadAll(io.LimitReader(r, maxStretch+1))
	switch {
	case err != nil:
		return notes, err
	case len(data) > maxStretch:
		return notes, ErrTooLarge
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(data, &m) != nil {
		return notes, ErrUnknown
	}
	for _, f := range forms {
		if f.is(m) {
			reading := f.reader(use)
			if err := reading.line(data); err != nil {
				return notes, ErrUnknown
			}
			return notes, reading.into.finish()
		}
	}
	return notes, ErrUnknown
}

// isOpen reports whether a line begins an object that continues on the next lines.
func isOpen(line []byte) bool { return line[0] == '{' && !json.Valid(line) }

func formOf(line []byte) *form {
	var m map[string]json.RawMessage
	if json.Unmarshal(line, &m) != nil {
		return nil
	}
	for i := range forms {
		if forms[i].is(m) {
			return &forms[i]
		}
	}
	return nil
}

// errDamaged means that a record is not JSON, or does not have the form of its kind.
var errDamaged = errors.New("damaged")

func decode(line []byte, record any) error {
	if json.Unmarshal(line, record) != nil {
		return errDamaged
	}
	return nil
}

// feed passes a line to a reader, and counts the line if it cannot be parsed.
func feed(reading *reader, line []byte, notes *UnusedParts) error {
	err := reading.line(line)
	switch {
	case errors.Is(err, errDamaged):
		notes.Lines++
		return nil
	case err == nil && reading.into.pendingSize() > maxStretch:
		return ErrTooLarge
	}
	return err
}

// A moment is a time in the form of logs: as text, or in milliseconds since 1970. Any other value is
// read as the zero time.
type moment struct{ time time.Time }

// UnmarshalJSON implements json.Unmarshaler.
func (m *moment) UnmarshalJSON(data []byte) error {
	var text string
	var number float64
	if json.Unmarshal(data, &text) == nil {
		m.time, _ = time.Parse(time.RFC3339Nano, text)
	} else if json.Unmarshal(data, &number) == nil && number > 0 && number < 1e15 {
		m.time = time.UnixMilli(int64(number)).UTC()
	}
	return nil
}
