// Package textfile converts a text file to the form that a model uses. [Document] is the text as
// UTF-8 with plain line feeds and without a byte order mark. [ReadPage] reads it page by page.
//
// A Document records where the file on disk differs from the text, so that an edit changes nothing
// else in the file. A Page never contains more than was requested, even if the file or its lines
// are large.
package textfile

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"

	"agent/internal/text/lines"
)

// ByteOrderMark is the mark that some editors put at the start of a text file.
const ByteOrderMark = "\xef\xbb\xbf"

// Document is the text of a file, with the details of the file on disk.
type Document struct {
	// Text is the content with every CRLF as LF.
	Text string
	// raw is the content of the file. It is in UTF-8 even if order is set.
	raw  []byte
	mark int
	// order is the byte order of a file in UTF-16, nil for any other file.
	order binary.ByteOrder
	// returns are the offsets in text of the line feeds that are CRLF on disk.
	returns []int
	// eol ends the lines that an edit adds. It is the line end of most lines of the file.
	eol string
}

// Splice replaces Text[Start:End] of a Document by Text.
type Splice struct {
	Start, End int
	Text       string
}

// Parse reads the bytes of a file.
func Parse(raw []byte) Document {
	if text, order, ok := decode16(raw); ok {
		d := Parse(text)
		d.order = order
		return d
	}
	d := Document{raw: raw, eol: "\n"}
	body := raw
	if bytes.HasPrefix(raw, []byte(ByteOrderMark)) {
		d.mark = len(ByteOrderMark)
		body = raw[d.mark:]
	}
	if !bytes.Contains(body, []byte("\r\n")) {
		d.Text = string(body)
		return d
	}
	var text strings.Builder
	text.Grow(len(body))
	for line := range bytes.Lines(body) {
		if stripped, ok := bytes.CutSuffix(line, []byte("\r\n")); ok {
			text.Write(stripped)
			d.returns = append(d.returns, text.Len())
			text.WriteByte('\n')
			continue
		}
		text.Write(line)
	}
	d.Text = text.String()
	if 2*len(d.returns) > strings.Count(d.Text, "\n") {
		d.eol = "\r\n"
	}
	return d
}

// ApplySplices returns the file's bytes after the splices, which must be in order and must not overlap. The
// result is never nil, since callers use nil for a missing file.
func (d Document) ApplySplices(splices ...Splice) []byte {
	out := []byte{}
	done := 0
	for _, s := range splices {
		out = append(out, d.raw[done:d.onDisk(s.Start)]...)
		out = append(out, d.withEnds(s.Text)...)
		done = d.onDisk(s.End)
	}
	return encode16(append(out, d.raw[done:]...), d.order)
}

// withEnds replaces the line ends of text by those of the file.
func (d Document) withEnds(text string) string {
	text = NormalizeLineEnds(text)
	if d.eol != "\n" {
		text = strings.ReplaceAll(text, "\n", d.eol)
	}
	return text
}

// onDisk converts an offset in text to an offset in raw.
func (d Document) onDisk(offset int) int {
	before, _ := slices.BinarySearch(d.returns, offset)
	return d.mark + offset + before
}

// LineCount returns the number of lines. A last line without a line feed counts.
func (d Document) LineCount() int {
	n := strings.Count(d.Text, "\n")
	if d.Text != "" && !strings.HasSuffix(d.Text, "\n") {
		n++
	}
	return n
}

// Span returns the offsets in text of the lines first to last, counted from 1.
func (d Document) Span(first, last int) (start, end int) {
	for i, line := range lines.Split(d.Text) {
		if i+1 < first {
			start += len(line)
		}
		if i+1 > last {
			break
		}
		end += len(line)
	}
	return start, end
}

// CountInvalidUTF8 returns the number of bytes that are not UTF-8 and the line of the first. The model
// receives U+FFFD instead of them. A file in UTF-16 with a byte order mark has none.
func CountInvalidUTF8(raw []byte) (count, line int) {
	if _, _, ok := decode16(raw); ok || utf8.Valid(raw) {
		return 0, 0
	}
	for rest := raw; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size == 1 {
			if count == 0 {
				line = 1 + bytes.Count(raw[:len(raw)-len(rest)], []byte("\n"))
			}
			count++
		}
		rest = rest[size:]
	}
	return count, line
}

// NormalizeLineEnds replaces CRLF by LF.
func NormalizeLineEnds(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// Encode returns the bytes of the file with a new text. It keeps the byte order mark and the
// final newline. It keeps the line ends unless text contains CRLF.
func (d Document) Encode(text string) []byte {
	text = strings.TrimPrefix(text, ByteOrderMark)
	if strings.HasSuffix(d.Text, "\n") && text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if !strings.Contains(text, "\r\n") {
		text = d.withEnds(text)
	}
	return encode16(append(append([]byte{}, d.raw[:d.mark]...), text...), d.order)
}
