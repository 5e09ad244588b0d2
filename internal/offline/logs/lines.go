package logs

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// eachLine calls use with every line that is not blank. A line over maxLine is passed
// over and counted.
func eachLine(r io.Reader, notes *Notes, use func(line []byte) error) error {
	in := bufio.NewReaderSize(r, 1<<16)
	var line []byte
	tooLong := false
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			tooLong = true
			line = line[:0]
		}
		if !tooLong {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		switch trimmed := bytes.TrimSpace(line); {
		case tooLong:
			notes.Lines++
		case len(trimmed) > 0:
			if err := use(trimmed); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
		line, tooLong = line[:0], false
		if cap(line) > 1<<20 {
			line = nil // one huge line is no reason to hold its memory for the rest
		}
	}
}
