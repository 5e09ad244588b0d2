package llm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxEvent bounds one event, so that a server cannot fill the memory.
const maxEvent = 16 << 20

// eventReader turns what servers send as an event stream into what the library
// reads without losing anything: one line "data: JSON" an event. Comments and
// other fields go, events in several lines are joined, a last event without its
// newline counts, and an error in the stream becomes the error of Read.
type eventReader struct {
	body  io.ReadCloser
	watch *watchdog
	// whole is set when the body is one JSON document and not a stream.
	whole bool
	// refuse makes the error for a problem the stream reports.
	refuse func(problem) error

	lines *bufio.Reader
	// out is what Read has still to give.
	out []byte
	// data is the event that is arriving; name is its "event:" field.
	data []byte
	name string
	// seen is set after the first event; stray is the first line that belongs to no
	// event stream.
	seen  bool
	stray string
	err   error
}

// Read implements io.Reader.
func (r *eventReader) Read(p []byte) (int, error) {
	if r.lines == nil {
		const buffer = 32 << 10
		r.lines = bufio.NewReaderSize(watchedReader{r.body, r.watch}, buffer)
	}
	for len(r.out) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		line, err := r.readLine()
		r.take(line)
		if err != nil && r.err == nil {
			r.end(err)
		}
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}

// Close implements io.Closer.
func (r *eventReader) Close() error { return r.body.Close() }

// readLine returns the next line without its end; the last one comes with io.EOF.
func (r *eventReader) readLine() ([]byte, error) {
	var line []byte
	for {
		part, err := r.lines.ReadSlice('\n')
		line = append(line, part...)
		if len(line)+len(r.data) > maxEvent {
			return nil, fmt.Errorf("an event of more than %d MiB", maxEvent>>20)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(line, "\r\n"), err
		}
	}
}

// take handles one line.
func (r *eventReader) take(line []byte) {
	if r.whole && len(r.data) == 0 && (bytes.HasPrefix(line, []byte("data:")) || bytes.HasPrefix(line, []byte(":"))) {
		// A stream that is announced as a document.
		r.whole = false
	}
	if r.whole {
		r.data = append(append(r.data, line...), '\n')
		return
	}
	line = bytes.TrimPrefix(line, []byte("\ufeff"))
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimSpace(value)
	switch {
	case len(bytes.TrimSpace(line)) == 0:
		r.endEvent()
	case string(field) == "data":
		r.takeData(value)
	case string(field) == "event":
		r.name = string(value)
	case line[0] == '{':
		// Some servers break off with a bare error object.
		r.takeData(line)
	case line[0] == ':', string(field) == "id", string(field) == "retry":
	case r.stray == "":
		r.stray = string(line)
	}
}

// takeData handles the data of a line. A line that is a whole event is passed on
// at once: some servers leave out the blank line after it.
func (r *eventReader) takeData(value []byte) {
	if len(r.data) == 0 && isWhole(value) {
		r.pass(value)
		return
	}
	r.data = append(append(r.data, value...), '\n')
}

// endEvent passes on an event that came in several lines.
func (r *eventReader) endEvent() {
	if data := bytes.TrimSpace(r.data); len(data) > 0 {
		r.pass(data)
	}
	r.data, r.name = nil, ""
}

// end handles the end of the body.
func (r *eventReader) end(err error) {
	if errors.Is(err, io.EOF) {
		if data := bytes.TrimSpace(r.data); len(data) > 0 && isWhole(data) {
			r.pass(data)
		} else if r.whole || !r.seen && r.stray != "" {
			r.err = r.refuse(problem{notAnAPI: true, message: oneLine(r.stray + string(data))})
		}
		r.data = nil
	}
	if r.err == nil {
		r.err = err
	}
}

// pass hands one event to the library, or ends the stream if it is an error.
func (r *eventReader) pass(data []byte) {
	r.seen = true
	r.watch.sawEvent()
	if p, bad := problemInEvent(data, r.name); bad {
		r.err = r.refuse(p)
		return
	}
	r.out = append(r.out, "data: "...)
	if rest, ok := bytes.CutPrefix(data, []byte(`{"error":`)); ok {
		// This one is no error ("error":null), but the library takes it for one by
		// its beginning and drops it.
		r.out = append(r.out, `{ "error":`...)
		data = rest
	}
	// Line breaks within JSON are white space.
	r.out = append(r.out, bytes.ReplaceAll(data, []byte("\n"), []byte(" "))...)
	r.out = append(r.out, '\n')
}

func isWhole(data []byte) bool { return string(data) == "[DONE]" || json.Valid(data) }

// watchedReader tells the watchdog about every byte.
type watchedReader struct {
	from  io.Reader
	watch *watchdog
}

// Read implements io.Reader.
func (r watchedReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if n > 0 {
		r.watch.sawBytes()
	}
	return n, err
}
