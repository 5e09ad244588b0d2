package textfile

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"agent/internal/text/lines"
)

// MaxLineBytes is the length at which a line is cut unless it is requested by column. Minified
// files have lines of megabytes, and the beginning of such a line is enough.
const MaxLineBytes = 2000

// Range selects a part of a text.
type Range struct {
	// First is the number of the first line, from 1.
	First int
	// Column is the first byte in that line, from 1. 0 means 1.
	Column int
	// Lines and Bytes limit the number of lines and the size of their text. At least one line is
	// returned, or a part of it.
	Lines, Bytes int
	// LineBytes is the number of bytes that each line needs in addition to its text.
	LineBytes int
}

// Page is a run of lines of a text, bounded in number and size.
type Page struct {
	// Lines are the lines without line ends. Long lines are cut.
	Lines []string
	// First is the number of the first line, from 1.
	First int
	// Column is the byte in that line at which the page begins, from 1.
	Column int
	// Rest is the column at which the last line continues, 0 if the line is complete.
	Rest int
	// Total is the number of lines of the text, or 0 if reading stopped before its end.
	Total int
	// More is set if lines follow the last one.
	More bool
}

// LastLine returns the number of the last line.
func (p Page) LastLine() int { return p.First + len(p.Lines) - 1 }

// ReadPage reads a part of a text. It stops when ctx ends.
func ReadPage(ctx context.Context, r io.Reader, want Range) (Page, error) {
	p := Page{First: want.First, Column: max(want.Column, 1)}
	in := bufio.NewReaderSize(r, 64<<10)
	size := 0
	// mark is added to the last line if that line is cut and another line follows.
	mark := ""
	for number := 1; ; number++ {
		if number%4096 == 0 && ctx.Err() != nil {
			return Page{}, ctx.Err()
		}
		if len(p.Lines) == want.Lines {
			if _, err := in.Peek(1); err == nil {
				p.More = true
			} else {
				p.Total = number - 1
			}
			return p, nil
		}
		skip, keep := 0, min(MaxLineBytes, want.Bytes)
		switch {
		case number < want.First:
			keep = 0
		case number == want.First && want.Column > 0:
			skip, keep = want.Column-1, want.Bytes
		}
		line, err := readLine(ctx, in, skip, keep)
		if errors.Is(err, io.EOF) {
			p.Total = number - 1
			return p, nil
		}
		if err != nil {
			return Page{}, err
		}
		if number < want.First {
			continue
		}
		if skip > 0 && skip >= line.size {
			return Page{}, fmt.Errorf("column %d is past the end of line %d, which has %d bytes", want.Column, number, line.size)
		}
		text := strings.ToValidUTF8(line.text, "\uFFFD")
		size += len(text) + len(mark) + 1 + want.LineBytes
		if len(p.Lines) > 0 && size > want.Bytes {
			p.More = true
			return p, nil
		}
		if mark != "" {
			p.Lines[len(p.Lines)-1] += mark
		}
		p.Lines, p.Rest, mark = append(p.Lines, text), line.rest, line.mark(number)
		if number == want.First && want.Column > 0 && line.rest > 0 {
			_, err := in.Peek(1)
			p.More = err == nil
			return p, nil
		}
	}
}

// line is a line of a text, or a part of it.
type line struct {
	text string
	// size is the length of the whole line without its end, in bytes.
	size int
	// rest is the column of the first missing byte, 0 if the line is complete.
	rest int
}

// mark describes the missing part of a line that is cut.
func (l line) mark(number int) string {
	if l.rest == 0 {
		return ""
	}
	return fmt.Sprintf("… [cut: the line has %d bytes; read on with offset %d and column %d]", l.size, number, l.rest)
}

// readLine reads the next line and returns up to keep bytes of it, from offset skip on. It uses
// little memory even if the line is long. io.EOF means that there is no further line.
func readLine(ctx context.Context, in *bufio.Reader, skip, keep int) (line, error) {
	var kept, tail []byte
	size := 0
	for {
		part, err := in.ReadSlice('\n')
		if skipped := max(skip-size, 0); skipped < len(part) {
			wanted := part[skipped:]
			// Keep two more bytes, for the line's end.
			kept = append(kept, wanted[:min(len(wanted), max(keep+2-len(kept), 0))]...)
		}
		size += len(part)
		tail = append(tail, part[max(len(part)-2, 0):]...)
		tail = tail[max(len(tail)-2, 0):]
		if errors.Is(err, bufio.ErrBufferFull) && ctx.Err() == nil {
			continue
		}
		if err = cmp.Or(ctx.Err(), err); err != nil && (!errors.Is(err, io.EOF) || size == 0) {
			return line{}, err
		}
		break
	}
	end := len(tail) - len(bytes.TrimSuffix(bytes.TrimSuffix(tail, []byte("\n")), []byte("\r")))
	l := line{size: size - end}
	l.text = string(kept[:min(len(kept), max(l.size-skip, 0))])
	if len(l.text) > keep {
		l.text = lines.TrimPartialRune(l.text[:keep])
		if l.text == "" && keep > 0 {
			// Not even one character fits. Returning one byte of it ensures progress.
			l.text = string(kept[:1])
		}
		l.rest = skip + len(l.text) + 1
	}
	return l, nil
}

// Plain returns the lines unchanged.
func (p Page) Plain() string {
	return strings.Join(p.Lines, "\n") + "\n"
}

// Numbered returns the lines with their numbers.
func (p Page) Numbered() string { return lines.AddNumbers(p.Lines, p.First) }
