package shell

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestSpoolIsBounded(t *testing.T) {
	t.Parallel()
	s := newSpool(t.TempDir(), 10)
	for range 4 {
		s.write([]byte("12345\n"))
	}
	s.close()
	content, err := os.ReadFile(s.path())
	if err != nil || string(content) != "12345\n1234" {
		t.Errorf("%q, %v", content, err)
	}
	if !strings.Contains(s.describe(), "its first ") {
		t.Errorf("%q", s.describe())
	}
}

// A full disk is no failure of the command, but it is reported.
func TestSpoolOnAFullDisk(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full")
	}
	out := newOutput(100, t.TempDir())
	out.spool = &spool{file: full, room: spoolLimit}
	data := bytes.Repeat([]byte("some output\n"), 100)
	if n, err := out.Write(data); n != len(data) || err != nil {
		t.Errorf("the command would see %d, %v", n, err)
	}
	out.close()
	text, _ := out.text()
	if !strings.Contains(text, "could not be kept: no space left on device") {
		t.Errorf("%s", text)
	}
}
