package session

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// A log with one endless line is not read into memory.
func TestLineThatIsTooLong(t *testing.T) {
	t.Parallel()
	text := "short\n" + strings.Repeat("x", 1000)
	lines := newLineReader(bytes.NewReader([]byte(text)), 16)
	lines.most = 100
	if line, err := lines.next(); string(line) != "short\n" || err != nil {
		t.Errorf("%q, %v", line, err)
	}
	var tooLong *lineError
	if line, err := lines.next(); !errors.As(err, &tooLong) || tooLong.at != 6 || lines.at > 6+100+16 {
		t.Errorf("%d bytes are read, to byte %d: %v", len(line), lines.at, err)
	}
	lines = newLineReader(bytes.NewReader([]byte(text)), 16)
	lines.most = len(text)
	_, _ = lines.next()
	if line, err := lines.next(); len(line) != 1000 || !errors.Is(err, io.EOF) {
		t.Errorf("%d bytes, %v", len(line), err)
	}
}
