package logs

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"agent/internal/text/lines"
)

// eachLine calls use with every line that is not blank. A line over maxLine is skipped and
// counted.
func eachLine(r io.Reader, notes *UnusedParts, use func(line []byte) error) error {
	in := bufio.NewReaderSize(r, 1<<16)
	var line []byte
	for {
		var whole bool
		var err error
		line, whole, err = lines.Read(in, line, maxLine)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		switch trimmed := bytes.TrimSpace(line); {
		case !whole:
			notes.Lines++
		case len(trimmed) > 0:
			if err := use(trimmed); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
		if cap(line) > 1<<20 {
			line = nil // free the memory of a huge line
		}
	}
}
