// Package sse reads server-sent events from model servers, according to the specification and with
// common deviations. A data line that is a whole JSON value is an event, because some servers omit the
// blank line after it. A JSON object without "data:", even over several lines, is data, because some
// servers end with one or send one instead of a stream. The last event needs no newline.
package sse

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
)

// MaxEvent limits an event in bytes, so that a server cannot fill the memory.
const MaxEvent = 16 << 20

// ErrTooLarge is returned for an event of more than MaxEvent bytes, and ends the stream.
var ErrTooLarge = fmt.Errorf("an event of more than %d MiB", MaxEvent>>20)

// NoEventError is returned for a body that has text but no event.
type NoEventError struct {
	// First is the first line of the text.
	First string
}

func (e *NoEventError) Error() string { return "not an event stream: " + e.First }

// Event is one event of a stream.
type Event struct {
	// Name is the event's "event:" field, usually empty.
	Name string
	// Data is the event's data, valid until the next event. It is nil for a heartbeat: a comment, or a
	// part of a line.
	Data []byte
}

// Read yields the events of body as they arrive. The sequence ends after the last event,
// or with one error: a *NoEventError, ErrTooLarge or an error of body.
func Read(body io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		const buffer = 32 << 10
		s := &stream{from: bufio.NewReaderSize(body, buffer), yield: yield}
		if err := s.read(); err != nil && !errors.Is(err, errLeft) {
			yield(Event{}, err)
		}
	}
}

// errLeft stops reading when the consumer has stopped.
var errLeft = errors.New("the consumer stopped reading")

// stream reads the events of a body.
type stream struct {
	from  *bufio.Reader
	yield func(Event, error) bool

	line []byte
	// afterCR is set if the latest line ended in CR. A following LF belongs to the same line end.
	afterCR bool

	// data is the data of the event that is being received.
	data []byte
	// name is the "event:" field of the event that is being received.
	name string
	// bare is set within an object without "data:".
	bare bool
	// open counts the open brackets of that object.
	open int
	// seen is set after the first event.
	seen bool
	// stray is the first line that is not part of an event.
	stray string
}

func (s *stream) read() error {
	for {
		err := s.readLine()
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if taken := s.take(s.line); taken != nil {
			return taken
		}
		if err != nil {
			return s.end()
		}
	}
}

// readLine reads the next line into s.line without its end, which is LF, CR or both. It returns io.EOF
// together with the last line.
func (s *stream) readLine() error {
	s.line = s.line[:0]
	for {
		if _, err := s.from.Peek(1); err != nil {
			return err
		}
		part, _ := s.from.Peek(s.from.Buffered())
		if s.afterCR && part[0] == '\n' {
			s.afterCR = false
			_, _ = s.from.Discard(1)
			continue
		}
		s.afterCR = false
		end := bytes.IndexAny(part, "\r\n")
		if end >= 0 {
			s.afterCR = part[end] == '\r'
			s.line = append(s.line, part[:end]...)
			_, _ = s.from.Discard(end + 1)
			return nil
		}
		s.line = append(s.line, part...)
		_, _ = s.from.Discard(len(part))
		if len(s.line)+len(s.data) > MaxEvent {
			return ErrTooLarge
		}
		if !s.yield(Event{}, nil) {
			return errLeft
		}
	}
}

func (s *stream) take(line []byte) error {
	line = bytes.TrimPrefix(line, []byte("\ufeff"))
	if s.bare {
		return s.takeBare(line)
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimSpace(value)
	switch {
	case len(bytes.TrimSpace(line)) == 0:
		return s.endEvent()
	case string(field) == "data":
		return s.takeData(value)
	case string(field) == "event":
		s.name = string(value)
	case line[0] == '{':
		s.bare, s.open = len(s.data) == 0 && !isWhole(line), depthChange(line)
		return s.takeData(line)
	case line[0] == ':':
		return s.emit(nil)
	case string(field) == "id", string(field) == "retry":
	case s.stray == "":
		s.stray = string(line)
	}
	return nil
}

// takeBare processes a line of an object without "data:". The object ends when all its brackets are
// closed, or at a line that clearly belongs to an event.
func (s *stream) takeBare(line []byte) error {
	if bytes.HasPrefix(line, []byte("data:")) || bytes.HasPrefix(line, []byte("event:")) {
		s.bare, s.data = false, s.data[:0]
		return s.take(line)
	}
	if len(s.data)+len(line) > MaxEvent {
		return ErrTooLarge
	}
	s.data = append(append(s.data, line...), '\n')
	switch s.open += depthChange(line); {
	case s.open > 0:
	case isWhole(s.data):
		s.bare = false
		return s.endEvent()
	default:
		// The object is not JSON. Set open so high that the brackets are never all closed, so that
		// later lines do not parse the object again.
		s.open = MaxEvent + 1
	}
	return nil
}

// depthChange returns the number of opening minus closing brackets in a line of JSON. Strings do not
// continue over the end of a line.
func depthChange(line []byte) int {
	n, quoted := 0, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			n++
		case c == '}', c == ']':
			n--
		}
	}
	return n
}

// takeData processes the data of a line. It emits a complete event at once.
func (s *stream) takeData(value []byte) error {
	if len(s.data) == 0 && isWhole(value) {
		return s.emit(value)
	}
	if len(s.data)+len(value) > MaxEvent {
		return ErrTooLarge
	}
	s.data = append(append(s.data, value...), '\n')
	return nil
}

// endEvent emits an event of several lines.
func (s *stream) endEvent() error {
	data := bytes.TrimSpace(s.data)
	defer func() { s.data, s.name = s.data[:0], "" }()
	if len(data) == 0 {
		return nil
	}
	return s.emit(data)
}

// end processes the end of the body. The last event counts if it is complete.
func (s *stream) end() error {
	if data := bytes.TrimSpace(s.data); isWhole(data) {
		return s.emit(data)
	}
	if !s.seen && s.stray != "" {
		return &NoEventError{s.stray}
	}
	return nil
}

func (s *stream) emit(data []byte) error {
	s.seen = s.seen || data != nil
	if !s.yield(Event{Name: s.name, Data: data}, nil) {
		return errLeft
	}
	return nil
}

// isWhole reports whether data is a complete event. For an object it counts brackets, which has the
// same result as json.Valid for JSON. An event of 300 bytes takes 0.19 µs instead of 0.63 µs
// (BenchmarkIsWhole), for 3 lines.
func isWhole(data []byte) bool {
	if n := len(data); n > 1 && data[0] == '{' && data[n-1] == '}' {
		return depthChange(data) == 0
	}
	return bytes.EqualFold(data, []byte("[DONE]")) || json.Valid(data)
}
