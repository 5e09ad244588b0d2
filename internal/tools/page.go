package tools

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// page is a run of lines of a text, bounded in number and size.
type page struct {
	// lines are shown lines without line ends; long ones are cut.
	lines []string
	// first is the number of the first line, from 1.
	first int
	// total is how many lines the text has, or 0 when reading stopped before its end.
	total int
	// more is set when lines follow the last one shown.
	more bool
}

func (p page) last() int { return p.first + len(p.lines) - 1 }

// readPage reads up to count lines from the line first, and no more of them than
// fit in limit bytes, though at least one.
func readPage(ctx context.Context, r io.Reader, first, count, limit int) (page, error) {
	p := page{first: first}
	in := bufio.NewReaderSize(r, 64<<10)
	size := 0
	for number := 1; ; number++ {
		if number%4096 == 0 && ctx.Err() != nil {
			return page{}, ctx.Err()
		}
		if len(p.lines) == count {
			if _, err := in.Peek(1); err == nil {
				p.more = true
			} else {
				p.total = number - 1
			}
			return p, nil
		}
		keep := 0
		if number >= first {
			keep = maxLineBytes
		}
		line, err := readLine(in, keep)
		if errors.Is(err, io.EOF) {
			p.total = number - 1
			return p, nil
		}
		if err != nil {
			return page{}, err
		}
		if number < first {
			continue
		}
		size += len(line) + 1
		if len(p.lines) > 0 && size > limit {
			p.more = true
			return p, nil
		}
		p.lines = append(p.lines, line)
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
	kept := wholeRunes(text[:keep])
	return fmt.Sprintf("%s… [line of %d bytes, cut]", strings.ToValidUTF8(kept, "\uFFFD"), size), nil
}

// plain writes the lines as they are.
func (p page) plain() string {
	return strings.Join(p.lines, "\n") + "\n"
}

// numbered writes the lines with their numbers.
func (p page) numbered() string { return numberLines(p.lines, p.first) }

// numberLines puts its number and a bar before each line. The text of the line
// begins right after the bar, so that its indentation can be copied.
func numberLines(lines []string, first int) string {
	var out strings.Builder
	width := len(fmt.Sprint(first + len(lines) - 1))
	for i, line := range lines {
		fmt.Fprintf(&out, "%*d|%s\n", width, first+i, strings.TrimSuffix(line, "\n"))
	}
	return out.String()
}
