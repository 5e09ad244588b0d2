package session

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"

	"agent/internal/base/fsutil"
)

// text opens the lines of a log for reading. When a session is resumed, most lines are read once and
// dropped, and the few that are needed are read again.
type text func() (opened, error)

// opened provides the lines of a log until it is closed.
type opened struct {
	io.ReaderAt
	io.Closer
}

// openText returns a text that reads from an open file and does not close the file.
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

// lineReader reads all lines into the same buffer, so that a line must be copied to be kept.
type lineReader struct {
	in *bufio.Reader
	// at is the offset of the next line.
	at   int64
	line []byte
	// most limits the length of a line, in bytes.
	most int
}

// largestLine limits the length of a line of a log, in bytes. A longer line contains no record.
const largestLine = 512 << 20

// wholeLog is the size of the buffer for reading a whole log, in bytes.
const wholeLog = 256 << 10

func newLineReader(from io.ReaderAt, buffer int) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(io.NewSectionReader(from, 0, math.MaxInt64), buffer), most: largestLine}
}

// A lineError means that a line is too long.
type lineError struct {
	at   int64
	most int
}

func (e *lineError) Error() string {
	return fmt.Sprintf("the line at byte %d is longer than %d MiB", e.at, e.most>>20)
}

// next returns the next line, with its line break if there is one. The line is valid until the following
// call.
func (r *lineReader) next() ([]byte, error) {
	r.line = r.line[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		r.line, r.at = append(r.line, part...), r.at+int64(len(part))
		if !errors.Is(err, bufio.ErrBufferFull) {
			return r.line, err
		}
		if len(r.line) > r.most {
			return nil, &lineError{r.at - int64(len(r.line)), r.most}
		}
	}
}
