package shell

import (
	"fmt"
	"os"
	"sync/atomic"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
)

// spoolLimit is the largest file for the output of one command, in bytes, so that a program with
// endless output does not fill the disk.
const spoolLimit = 64 << 20

// allSpools is the limit on the files of all commands together, in bytes.
const allSpools = 4 * spoolLimit

// spool writes output to a file that only the user can read. If a write fails, the command
// continues, and describe reports the error with the output.
type spool struct {
	file *os.File
	room int64
	// shared is the number of bytes that all spools may still write.
	shared *atomic.Int64
	kept   int64
	cut    bool
	error  error
}

func newSpool(dir string, limit int64, shared *atomic.Int64) *spool {
	file, err := os.CreateTemp(dir, "output-*.txt")
	return &spool{file: file, room: limit, shared: shared, error: err}
}

func (s *spool) write(data []byte) {
	if s.error != nil || s.cut {
		return
	}
	wanted := int64(len(data))
	// Other spools may write at the same moment, so the sum may exceed the limit a little.
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

// path returns the path of the file, or the empty string if there is none.
func (s *spool) path() string {
	if s == nil || s.file == nil {
		return ""
	}
	return s.file.Name()
}

// describe returns a note with the part of the output that the file contains.
func (s *spool) describe() string {
	switch {
	case s == nil:
		return "the output was not stored"
	case s.file == nil:
		return fmt.Sprintf("agent could not store the output: %v", s.error)
	case s.error != nil:
		return fmt.Sprintf("the beginning of the output is in %s; the rest could not be stored: %v", s.path(), fsutil.Reason(s.error))
	case s.cut:
		return fmt.Sprintf("the first %s of the output are in %s; the rest is not stored", humanize.Bytes(s.kept), s.path())
	default:
		return "the whole output is in " + s.path()
	}
}
