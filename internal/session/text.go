package session

import (
	"bufio"
	"errors"
	"io"
	"math"

	"agent/internal/base/fsutil"
)

// text opens the lines of a log for reading. When a session is resumed, most lines are read
// once and forgotten, and the few that are needed are read again.
type text func() (opened, error)

// opened gives access to the lines of a log until it is closed.
type opened struct {
	io.ReaderAt
	io.Closer
}

// openText returns a text that reads from an open file and does not close it.
func openText(lines io.ReaderAt) text {
	return func() (opened, error) { return opened{lines, io.NopCloser(nil)}, nil }
}

// stored returns a text that reads the log at path, up to a size.
func stored(path string, size int64) text {
	return func() (opened, error) {
		file, err := fsutil.Open(path)
		return opened{io.NewSectionReader(file, 0, size), file}, err
	}
}

// lineReader reads all lines into the same memory, so that a line must be copied to be kept.
type lineReader struct {
	in *bufio.Reader
	// at is the offset of the next line.
	at   int64
	line []byte
}

func newLineReader(from io.ReaderAt) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(io.NewSectionReader(from, 0, math.MaxInt64), 256<<10)}
}

// next returns the next line, with its line break if it has one. The line is valid until the
// following call.
func (r *lineReader) next() ([]byte, error) {
	r.line = r.line[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		r.line, r.at = append(r.line, part...), r.at+int64(len(part))
		if !errors.Is(err, bufio.ErrBufferFull) {
			return r.line, err
		}
	}
}
