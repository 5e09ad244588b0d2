package lines

import (
	"bufio"
	"bytes"
	"errors"
)

// beginning is what Read keeps of a line that is too long, in bytes.
const beginning = 512

// Read reads a line with its line break into a buffer, which may be nil. Of a line that is
// longer than most bytes it returns the beginning, with whole unset, and passes over the
// rest. The error is that of in; there may be a line beside it.
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
