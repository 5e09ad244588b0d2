package sse_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm/sse"
)

// read returns the events of a stream as NAME|DATA, without keep-alives.
func read(stream io.Reader) (events []string, err error) {
	for event, err := range sse.Read(stream) {
		if err != nil {
			return events, err
		}
		if event.Data != nil {
			events = append(events, event.Name+"|"+string(event.Data))
		}
	}
	return events, nil
}

func TestRead(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, stream string
		want         []string
	}{
		{"by the book", "data: {\"a\":1}\n\ndata: [DONE]\n\n", []string{`|{"a":1}`, "|[DONE]"}},
		{"CRLF", "data: {\"a\":1}\r\n\r\ndata: [DONE]\r\n\r\n", []string{`|{"a":1}`, "|[DONE]"}},
		{"CRLF within an event", "event: x\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n", []string{"x|{\"a\":\n1}"}},
		{"CR, then LF", "data: {\"a\":\rdata: 1}\n\ndata: 1\n\n", []string{"|{\"a\":\n1}", "|1"}},
		{"CRLF, then LF", "data: no\r\n\ndata: JSON\n\n", []string{"|no", "|JSON"}},
		{"bare CR", "event: x\rdata: {\"a\":1}\r\rdata: [DONE]\r\r", []string{`x|{"a":1}`, "|[DONE]"}},
		{"a name", "event: error\ndata: {}\n\ndata: 1\n\n", []string{"error|{}", "|1"}},
		{"several lines", "data: {\"a\":\ndata: 1}\n\n", []string{"|{\"a\":\n1}"}},
		{"no blank lines", "data: 1\ndata: 2\n", []string{"|1", "|2"}},
		{"no space, ids, retry and a byte order mark", "\ufeffid: 1\nretry: 5\ndata:1\n\n", []string{"|1"}},
		{"no last newline", "data: {\"a\":1}", []string{`|{"a":1}`}},
		{"a bare object", "data: 1\n\n{\"error\":\"x\"}", []string{"|1", `|{"error":"x"}`}},
		{"a bare object over several lines", "{\n \"a\": {\n  \"b\": 1\n },\n\n \"c\": 2\n}\n\ndata: 1\n\n", []string{"|{\n \"a\": {\n  \"b\": 1\n },\n\n \"c\": 2\n}", "|1"}},
		{"a bare object with brackets in its strings", "{\"a\": \"}\\\"}\",\n\"b\": [\n{\n}]\n  }\n", []string{"|{\"a\": \"}\\\"}\",\n\"b\": [\n{\n}]\n  }"}},
		{"brackets that are no JSON", "{\n}x\n{\n}\ndata: 1\n\n", []string{"|1"}},
		{"a bare object that never ends", "{\n \"a\": 1,\ndata: 1\n\n", []string{"|1"}},
		{"not JSON", "data: {nonsense\n\n", []string{"|{nonsense"}},
		{"half an event at the end", "data: 1\n\ndata: {\"a\":", []string{"|1"}},
		{"comments only", ": hi\n\n: hi\n\n", nil},
		{"nothing", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, stream := range []io.Reader{strings.NewReader(tt.stream), iotest.OneByteReader(strings.NewReader(tt.stream))} {
				got, err := read(stream)
				if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
					t.Error(err, diff)
				}
			}
		})
	}
}

func TestReadStray(t *testing.T) {
	t.Parallel()
	_, err := read(strings.NewReader("<html>\n<body>"))
	var stray *sse.NoEventError
	if !errors.As(err, &stray) || stray.First != "<html>" {
		t.Errorf("got %v", err)
	}
}

func TestReadBounds(t *testing.T) {
	t.Parallel()
	line := "data: " + strings.Repeat("0", sse.MaxEvent+1)
	lines := strings.Repeat("data: {"+strings.Repeat("0", 1<<20)+"\n", 17)
	// Each bracket could end the JSON. Parsing from the start after each of them would take hours.
	brackets := "{\"a\": [1\n" + strings.Repeat(",{\n}\n", sse.MaxEvent/5)
	for name, stream := range map[string]string{"one line": line, "many lines": lines, "brackets": brackets} {
		if got, err := read(strings.NewReader(stream)); !errors.Is(err, sse.ErrTooLarge) || len(got) > 0 {
			t.Errorf("%s: %d events, %v", name, len(got), err)
		}
	}
}

// Reading a line stops with an error as soon as the line is too long for an event, so that memory
// use is limited.
func TestReadEndlessLine(t *testing.T) {
	t.Parallel()
	const far = 4 * sse.MaxEvent
	endless := &io.LimitedReader{R: zeros{}, N: far}
	if _, err := read(endless); !errors.Is(err, sse.ErrTooLarge) || far-endless.N > sse.MaxEvent+1<<20 {
		t.Errorf("%v after %d bytes", err, far-endless.N)
	}
}

// zeros is a reader of an endless line.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// TestReadSignsOfLife checks that comments and parts of lines are reported as events without data.
func TestReadSignsOfLife(t *testing.T) {
	t.Parallel()
	signs := 0
	for event, err := range sse.Read(iotest.OneByteReader(strings.NewReader(": hi\n\ndata: 1\n\n"))) {
		if err != nil {
			t.Fatal(err)
		}
		if event.Data == nil {
			signs++
		}
	}
	if signs < 10 {
		t.Errorf("%d signs of life", signs)
	}
}

// TestReadLeaves checks that a consumer that stops receives no further event, also within a line.
func TestReadLeaves(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]io.Reader{
		"event":   strings.NewReader("data: 1\n\ndata: 2\n\n"),
		"comment": strings.NewReader(": hi\n\n: hi\n\n"),
		"line":    iotest.OneByteReader(strings.NewReader("data: 1\n\n")),
		"end":     strings.NewReader("data: {\ndata: }"),
		"error":   iotest.ErrReader(errors.New("broken")),
	} {
		count := 0
		for range sse.Read(body) {
			count++
			break
		}
		if count != 1 {
			t.Errorf("%s: %d events", name, count)
		}
	}
}

// FuzzRead checks that the events do not depend on how the network splits the stream.
func FuzzRead(f *testing.F) {
	for _, stream := range []string{
		"data: {\"a\":1}\n\ndata: [DONE]\n\n",
		": hi\r\nevent: x\r\nid: 1\r\ndata:{\"a\":\r\ndata: 1}\r\n\r\n",
		"data: 1\r\rdata: 2\r\n\n", "data: {\"error\":{\"message\":\"boom\"}}\n\n",
		"{\"error\":\"boom\"}", "<html>", "data: {\"a\":1}", "data: nonsense\n\n\xff\n", "\ufeffdata: 1\n",
	} {
		f.Add([]byte(stream))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		whole, err := read(bytes.NewReader(stream))
		slow, slowErr := read(iotest.OneByteReader(bytes.NewReader(stream)))
		if diff := cmp.Diff(whole, slow); diff != "" || (err == nil) != (slowErr == nil) {
			t.Fatalf("%q depends on the pieces it comes in: %v, %v\n%s", stream, err, slowErr, diff)
		}
	})
}
