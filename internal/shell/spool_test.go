package shell

import (
	"bytes"
	"os"
	"strings"
	"sync/atomic"
	"testing"
)

func room(bytes int64) *atomic.Int64 {
	r := new(atomic.Int64)
	r.Store(bytes)
	return r
}

// The total size of all output files is limited.
func TestSpoolsShareTheirRoom(t *testing.T) {
	t.Parallel()
	shared := room(8)
	one, two := newSpool(t.TempDir(), 100, shared), newSpool(t.TempDir(), 100, shared)
	one.write([]byte("12345"))
	two.write([]byte("12345"))
	one.write([]byte("6"))
	for _, s := range []*spool{one, two} {
		s.close()
	}
	first, _ := os.ReadFile(one.path())
	second, _ := os.ReadFile(two.path())
	if string(first) != "12345" || string(second) != "123" || !strings.Contains(two.describe(), "the first 3 bytes of") {
		t.Errorf("%q, %q, %s", first, second, two.describe())
	}
}

func TestSpoolIsBounded(t *testing.T) {
	t.Parallel()
	s := newSpool(t.TempDir(), 10, room(1000))
	for range 4 {
		s.write([]byte("12345\n"))
	}
	s.close()
	content, err := os.ReadFile(s.path())
	if err != nil || string(content) != "12345\n1234" {
		t.Errorf("%q, %v", content, err)
	}
	if !strings.Contains(s.describe(), "the first ") {
		t.Errorf("%q", s.describe())
	}
}

// A full disk does not fail the command, but it is reported.
func TestSpoolOnAFullDisk(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full")
	}
	out := newOutput(100, nil, t.TempDir(), room(spoolLimit))
	out.spool = &spool{file: full, room: spoolLimit, shared: out.room}
	data := bytes.Repeat([]byte("some output\n"), 100)
	if n, err := out.Write(data); n != len(data) || err != nil {
		t.Errorf("the command would see %d, %v", n, err)
	}
	out.close()
	text, _ := out.text()
	if !strings.Contains(text, "the rest could not be stored: no space left on device") {
		t.Errorf("%s", text)
	}
}
