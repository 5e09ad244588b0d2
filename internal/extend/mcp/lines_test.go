package mcp

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Only messages pass the reader, whatever a server writes between them.
func TestReaderPassesOnlyMessages(t *testing.T) {
	t.Parallel()
	const message = `{"jsonrpc":"2.0","method":"m"}`
	long := `{"jsonrpc":"2.0","method":"` + strings.Repeat("x", 2000) + `"}`
	for _, tt := range []struct {
		name, text string
		messages   int
		dropped    []string
	}{
		{"plain", message + "\n" + message + "\n", 2, nil},
		{"no line feed at the end", message, 1, nil},
		{"carriage returns and a mark", "\ufeff" + message + "\r\n\r\n\n", 1, nil},
		{"banner, broken JSON, other JSON", "Starting…\n" + message + "\n{\"jsonrpc\"\n[1]\n" + message, 2, []string{"Starting…", `{"jsonrpc"`, "[1]"}},
		{"a log line in JSON", `{"level":"info"}` + "\n" + message, 1, []string{`{"level":"info"}`}},
		{"three are kept", "a\nb\nc\nd\n" + message, 1, []string{"a", "b", "c"}},
		{"too long", long + "\n" + message, 1, []string{long[:droppedBytes]}},
		{"too long without an end", strings.Repeat("y", 100_000), 0, []string{strings.Repeat("y", droppedBytes)}},
		{"bytes that are no text", "\xff\xfe\n" + message, 1, []string{"�"}},
	} {
		r := newReader(strings.NewReader(tt.text), 1000)
		n := 0
		for {
			m, err := r.next()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					t.Errorf("%s: %v", tt.name, err)
				}
				break
			}
			if request, ok := m.(*jsonrpc.Request); !ok || request.Method != "m" {
				t.Errorf("%s: read %v", tt.name, m)
			}
			n++
		}
		first, _ := r.droppedLines()
		if n != tt.messages || !slices.Equal(first, tt.dropped) {
			t.Errorf("%s: %d messages and dropped %q, want %d and %q", tt.name, n, first, tt.messages, tt.dropped)
		}
	}
}

// An unreadable answer fails its call, which would otherwise wait forever. Other lines with a
// number are not answers.
func TestReaderFailsAnswersThatCannotBeRead(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 2000) + strings.Repeat("]", 2000)
	lines := []string{
		`{"level":"info","id":7}`, `{"jsonrpc":"1.0","id":7}`, `{"jsonrpc":"2.0","method":7,"id":7}`,
		`{"jsonrpc":"2.0","id":1,"error":"boom"}`, `{"jsonrpc":"2.0","id":2,"result":` + deep + `}`,
	}
	r := newReader(strings.NewReader(strings.Join(lines, "\n")), lineBytes)
	for _, want := range []int64{1, 2} {
		m, err := r.next()
		answer, ok := m.(*jsonrpc.Response)
		if err != nil || !ok || answer.ID.Raw() != want || answer.Error == nil || !strings.Contains(answer.Error.Error(), "can't read the server's answer") {
			t.Errorf("the answer %d is %+v, %v", want, m, err)
		}
	}
	if m, err := r.next(); err == nil {
		t.Errorf("after that %+v is read", m)
	}
}

// Only the end of a server's standard error is kept, up to a limit.
func TestJournalKeepsTheEnd(t *testing.T) {
	t.Parallel()
	var j journal
	for range 3 {
		j.line(strings.Repeat("a", journalBytes/2))
	}
	j.line("last words ")
	if got := len(j.String()); got != journalBytes {
		t.Errorf("%d bytes are kept, want %d", got, journalBytes)
	}
	if got := j.lastLine(); got != "last words" {
		t.Errorf("the last line is %q", got)
	}
	_, _ = j.Write([]byte(strings.Repeat("b", 2*journalBytes)))
	if got := j.String(); got != strings.Repeat("b", journalBytes) {
		t.Errorf("after a long write %d bytes are kept", len(got))
	}
}

// The reader reads any output to its end, and each result is a message.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{"", "\ufeff{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\r\n", "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":3}", "x\n{}\n[]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := newReader(strings.NewReader(text), 100)
		for {
			m, err := r.next()
			if err != nil {
				break
			}
			if m == nil {
				t.Fatal("a message is nothing")
			}
		}
		if first, count := r.droppedLines(); len(first) > droppedLines || count > strings.Count(text, "\n")+1 {
			t.Errorf("%d lines are kept of %d", len(first), count)
		}
	})
}
