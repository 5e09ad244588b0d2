package llm

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// normalise reads a whole stream through an eventReader.
func normalise(stream io.Reader) (string, error) {
	watch := newWatchdog(func(error) {}, time.Hour, time.Hour)
	defer watch.stop()
	out, err := io.ReadAll(&eventReader{
		body: io.NopCloser(stream), watch: watch,
		refuse: func(p problem) error { return errors.New(p.message) },
	})
	return string(out), err
}

// FuzzEvents: whatever a server sends, and however the network cuts it up, the
// library gets the same clean lines, and an error never comes as data.
func FuzzEvents(f *testing.F) {
	for _, stream := range []string{
		"data: {\"a\":1}\n\ndata: [DONE]\n\n",
		": hi\r\nevent: x\r\nid: 1\r\ndata:{\"a\":\r\ndata: 1}\r\n\r\n",
		"data: {\"error\":null,\"b\":2}\n\n",
		"data: {\"error\":{\"message\":\"boom\"}}\n\n",
		"{\"error\":\"boom\"}", "<html>", "data: {\"a\":1}", "data: nonsense\n\n\xff\n", "\ufeffdata: 1\n",
	} {
		f.Add([]byte(stream))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		out, err := normalise(bytes.NewReader(stream))
		slow, slowErr := normalise(iotest.OneByteReader(bytes.NewReader(stream)))
		if out != slow || (err == nil) != (slowErr == nil) {
			t.Fatalf("%q depends on the pieces it comes in: %q (%v), %q (%v)", stream, out, err, slow, slowErr)
		}
		for line := range strings.Lines(out) {
			data, ok := strings.CutPrefix(line, "data: ")
			if !ok || !strings.HasSuffix(line, "\n") {
				t.Fatalf("%q gave the line %q", stream, line)
			}
			if p, bad := problemInEvent([]byte(data), ""); bad {
				t.Fatalf("%q passed the error %q on", stream, p.message)
			}
		}
	})
}

func TestEventsAreBounded(t *testing.T) {
	t.Parallel()
	endless := io.MultiReader(strings.NewReader("data: "), iotest.DataErrReader(io.LimitReader(zeros{}, maxEvent+1)))
	if out, err := normalise(endless); err == nil || !strings.Contains(err.Error(), "16 MiB") {
		t.Errorf("%d bytes, %v", len(out), err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// FuzzProblem: no body of an error is too strange to be put into one line.
func FuzzProblem(f *testing.F) {
	for _, body := range []string{`{"error":{"message":["a",{"msg":"b"}],"code":"429"}}`, `[]`, `null`, `{"detail":[{"msg":"x"}]}`, "\x1b[2J", `"x"`, `{"error":{"metadata":{"raw":7}}}`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p := parseProblem(body)
		if strings.ContainsFunc(p.message, func(r rune) bool { return r < ' ' || r == 0x7f }) || len(p.message) > 5000 {
			t.Fatalf("%q gave %q", body, p.message)
		}
		kind, hint, _ := classify(p)
		if hint == "" || kind < Unavailable || kind > NotAnAPI {
			t.Fatalf("%q gave kind %d, hint %q", body, kind, hint)
		}
	})
}
