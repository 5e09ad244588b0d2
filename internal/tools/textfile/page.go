package textfile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"agent/internal/tools/lines"
)

// MaxLineBytes is where a shown line is cut: minified files have lines of
// megabytes, of which nobody reads more.
const MaxLineBytes = 2000

// Page is a run of lines of a text, bounded in number and size.
type Page struct {
	// Lines are the lines without line ends; long ones are cut.
	Lines []string
	// First is the number of the first line, from 1.
	First int
	// Total is how many lines the text has, or 0 when reading stopped before its end.
	Total int
	// More is set when lines follow the last one shown.
	More bool
}

// Last is the number of the last line.
func (p Page) Last() int { return p.First + len(p.Lines) - 1 }

// ReadPage reads up to count lines from the line first, and no more of them than
// fit in limit bytes, though at least one.
// It stops with ctx.
func ReadPage(ctx context.Context, r io.Reader, first, count, limit int) (Page, error) {
	p := Page{First: first}
	in := bufio.NewReaderSize(r, 64<<10)
	size := 0
	for number := 1; ; number++ {
		if number%4096 == 0 && ctx.Err() != nil {
			return Page{}, ctx.Err()
		}
		if len(p.Lines) == count {
			if _, err := in.Peek(1); err == nil {
				p.More = true
			} else {
				p.Total = number - 1
			}
			return p, nil
		}
		keep := 0
		if number >= first {
			keep = MaxLineBytes
		}
		line, err := readLine(in, keep)
		if errors.Is(err, io.EOF) {
			p.Total = number - 1
			return p, nil
		}
		if err != nil {
			return Page{}, err
		}
		if number < first {
			continue
		}
		size += len(line) + 1
		if len(p.Lines) > 0 && size > limit {
			p.More = true
			return p, nil
		}
		p.Lines = append(p.Lines, line)
	}
}

// readLine returns the next line without its end, cut to keep bytes. However long
// the line is, no more of it is held. io.EOF means that there is no line left.
func readLine(in *bufio.Reader, keep int) (string, error) {
	var line []byte
	size := 0
	for {
		part, err := in.ReadSlice('\n')
		size += len(part)
		line = append(line, part[:min(len(part), max(keep+2-len(line), 0))]...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && (!errors.Is(err, io.EOF) || size == 0) {
			return "", err
		}
		break
	}
	text := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
	if keep == 0 || len(text) <= keep {
		return strings.ToValidUTF8(text, "\uFFFD"), nil
	}
	kept := lines.WholeRunes(text[:keep])
	return fmt.Sprintf("%s… [line of %d bytes, cut]", strings.ToValidUTF8(kept, "\uFFFD"), size), nil
}

// Plain writes the lines as they are.
func (p Page) Plain() string {
	return strings.Join(p.Lines, "\n") + "\n"
}

// Numbered writes the lines with their numbers.
func (p Page) Numbered() string { return lines.Number(p.Lines, p.First) }
