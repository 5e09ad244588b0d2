package session

import (
	"bufio"
	"errors"
	"io"
	"math"
	"os"
)

// text is where the lines of a log are. Of a log that is taken up most are read once and
// forgotten, and those that are needed read again.
type text interface {
	// open returns the lines for reading, until they are closed.
	open() (opened, error)
}

type opened interface {
	io.ReaderAt
	io.Closer
}

// given is a text that somebody else has open.
type given struct{ io.ReaderAt }

func (g given) open() (opened, error) { return g, nil }
func (g given) Close() error          { return nil }

// stored is the file of a log up to a size, and what waits behind it for room on the disk.
type stored struct {
	path    string
	size    int64
	waiting []byte
}

func (s stored) open() (opened, error) {
	if s.size == 0 { // there may be no file yet
		return openStored{stored: s}, nil
	}
	file, err := os.Open(s.path)
	if err != nil {
		return nil, err
	}
	return openStored{s, file}, nil
}

type openStored struct {
	stored
	file *os.File
}

// ReadAt implements io.ReaderAt.
func (o openStored) ReadAt(data []byte, at int64) (n int, err error) {
	if at < o.size {
		n, err = o.file.ReadAt(data[:min(int64(len(data)), o.size-at)], at)
		if err != nil || n == len(data) {
			return n, err
		}
		at += int64(n)
	}
	waits := int64(len(o.waiting))
	more := copy(data[n:], o.waiting[min(at-o.size, waits):])
	if n += more; n < len(data) {
		err = io.EOF
	}
	return n, err
}

// Close implements io.Closer.
func (o openStored) Close() error {
	if o.file == nil {
		return nil
	}
	return o.file.Close()
}

// lineReader reads lines into the same memory again and again: nothing of a record is
// kept but by copies.
type lineReader struct {
	from io.ReaderAt
	in   *bufio.Reader
	// at is where the next line begins.
	at   int64
	line []byte
}

func newLineReader(from io.ReaderAt) *lineReader {
	return &lineReader{from: from, in: bufio.NewReaderSize(io.NewSectionReader(from, 0, math.MaxInt64), 256<<10)}
}

// next returns the next line, with its line break if it has one. It is valid until the
// one after it is read.
func (r *lineReader) next() (line []byte, err error) {
	line, err = r.in.ReadSlice('\n')
	begin := r.at
	r.at += int64(len(line))
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = r.in.ReadSlice('\n')
		r.at += int64(len(line))
	}
	if err != nil && err != io.EOF {
		return nil, err
	}
	// Now that its length is known, a long line takes no more than its own memory.
	line, wrong := r.read(begin, int(r.at-begin))
	if wrong != nil {
		return nil, wrong
	}
	return line, err
}

// read returns the bytes at a place of the text, valid until something else is read.
func (r *lineReader) read(at int64, length int) ([]byte, error) {
	if cap(r.line) < length {
		r.line = make([]byte, length)
	}
	line := r.line[:length]
	if n, err := r.from.ReadAt(line, at); n < length {
		return nil, err
	}
	return line, nil
}
