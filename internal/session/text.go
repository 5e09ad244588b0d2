package session

import (
	"bufio"
	"errors"
	"io"
	"math"
	"os"
)

// text opens the lines of a log for reading. When a log is resumed, most lines are read
// once and forgotten; those that are needed are read again.
type text func() (opened, error)

// opened are the lines of a log until they are closed.
type opened struct {
	io.ReaderAt
	io.Closer
}

// given is a text that somebody else has open.
func given(lines io.ReaderAt) text {
	return func() (opened, error) { return opened{lines, io.NopCloser(nil)}, nil }
}

// stored is the log at path up to a size.
func stored(path string, size int64) text {
	return func() (opened, error) {
		file, err := os.Open(path)
		return opened{io.NewSectionReader(file, 0, size), file}, err
	}
}

// lineReader reads lines into the same memory again and again: nothing of a record is
// kept but by copies.
type lineReader struct {
	in *bufio.Reader
	// at is where the next line begins.
	at   int64
	line []byte
}

func newLineReader(from io.ReaderAt) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(io.NewSectionReader(from, 0, math.MaxInt64), 256<<10)}
}

// next returns the next line, with its line break if it has one. It is valid until the
// one after it is read.
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
