package lines

import (
	"bufio"
	"bytes"
	"errors"
)

// beginning is the number of bytes that Read keeps of a line that is too long.
const beginning = 512

// Read reads a line with its line break into a buffer, which may be nil. If the line is longer than
// most bytes, Read returns its beginning with whole unset, and skips the rest. The error is that of
// in. Read may return a line together with an error.
func Read(in *bufio.Reader, into []byte, most int) (line []byte, whole bool, err error) {
	line, whole = into[:0], true
	for {
		part, err := in.ReadSlice('\n')
		switch {
		case !whole:
		case len(line)+len(part) <= most:
			line = append(line, part...)
		default:
			line = append(line, part[:min(len(part), beginning)]...)
			line, whole = bytes.Clone(line[:min(len(line), beginning)]), false
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, whole, err
		}
	}
}
