package mcp

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Only messages pass, whatever a server writes between them.
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
		first, _ := r.drops()
		if n != tt.messages || !slices.Equal(first, tt.dropped) {
			t.Errorf("%s: %d messages and dropped %q, want %d and %q", tt.name, n, first, tt.messages, tt.dropped)
		}
	}
}

// What a server writes on its standard error is kept up to a bound, the end of it.
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
	if got := j.last(); got != "last words" {
		t.Errorf("the last line is %q", got)
	}
	_, _ = j.Write([]byte(strings.Repeat("b", 2*journalBytes)))
	if got := j.String(); got != strings.Repeat("b", journalBytes) {
		t.Errorf("after a long write %d bytes are kept", len(got))
	}
}
