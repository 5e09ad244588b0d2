package shell

import (
	"fmt"
	"os"
	"sync/atomic"

	"agent/internal/disk"
	"agent/internal/words"
)

// spoolLimit bounds the file that keeps the whole output of a command, in bytes.
// A program that prints without end must not fill the disk.
const spoolLimit = 64 << 20

// allSpools bounds the files of all commands of a program together.
const allSpools = 4 * spoolLimit

// spool keeps output in a file that only the user can read. An error of the file is
// no failure of the command: it is remembered and reported with the output.
type spool struct {
	file *os.File
	room int64
	// shared is the room that all spools have.
	shared *atomic.Int64
	kept   int64
	cut    bool
	error  error
}

// newSpool creates the file in dir.
func newSpool(dir string, limit int64, shared *atomic.Int64) *spool {
	file, err := os.CreateTemp(dir, "output-*.txt")
	return &spool{file: file, room: limit, shared: shared, error: err}
}

func (s *spool) write(data []byte) {
	if s.error != nil || s.cut {
		return
	}
	wanted := int64(len(data))
	// What others take at the same moment may let the sum be a little more.
	if room := max(0, min(s.room, s.shared.Load())); wanted > room {
		data = data[:room]
		s.cut = true
	}
	n := int64(len(data))
	s.room -= n
	s.kept += n
	s.shared.Add(-n)
	_, s.error = s.file.Write(data)
}

func (s *spool) close() {
	if s.file == nil {
		return
	}
	if err := s.file.Close(); s.error == nil {
		s.error = err
	}
}

// path is where the output can be read, empty when there is no file.
func (s *spool) path() string {
	if s == nil || s.file == nil {
		return ""
	}
	return s.file.Name()
}

// describe says what the file holds.
func (s *spool) describe() string {
	switch {
	case s == nil:
		return "it was not kept"
	case s.file == nil:
		return fmt.Sprintf("it could not be kept: %v", s.error)
	case s.error != nil:
		return fmt.Sprintf("its beginning is in %s; the rest could not be kept: %v", s.path(), disk.Reason(s.error))
	case s.cut:
		return fmt.Sprintf("its first %s are in %s, more is not kept", words.Bytes(s.kept), s.path())
	default:
		return "the whole output is in " + s.path()
	}
}
