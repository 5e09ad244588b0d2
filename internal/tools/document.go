package tools

import (
	"bytes"
	"slices"
	"strings"
)

const byteOrderMark = "\xef\xbb\xbf"

// document is a text file as the model works with it: without byte order mark and
// with plain line feeds. It remembers where the file on disk differs, so that an
// edit changes nothing but what it says.
type document struct {
	// text is the content with every CRLF as LF.
	text string
	raw  []byte
	mark int
	// returns are the offsets in text of the line feeds that are CRLF on disk.
	returns []int
	// eol ends the lines an edit adds: what most lines of the file end in.
	eol string
}

// splice replaces text[start:end] of a document by text.
type splice struct {
	start, end int
	text       string
}

func parseDocument(raw []byte) document {
	d := document{raw: raw, eol: "\n"}
	body := raw
	if bytes.HasPrefix(raw, []byte(byteOrderMark)) {
		d.mark = len(byteOrderMark)
		body = raw[d.mark:]
	}
	if !bytes.Contains(body, []byte("\r\n")) {
		d.text = string(body)
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
	d.text = text.String()
	if 2*len(d.returns) > strings.Count(d.text, "\n") {
		d.eol = "\r\n"
	}
	return d
}

// with returns the file's bytes after the splices, which are in order and do not
// overlap.
func (d document) with(splices ...splice) []byte {
	var out bytes.Buffer
	done := 0
	for _, s := range splices {
		out.Write(d.raw[done:d.onDisk(s.start)])
		out.WriteString(d.withEnds(s.text))
		done = d.onDisk(s.end)
	}
	out.Write(d.raw[done:])
	return out.Bytes()
}

// withEnds gives text the line ends of the file.
func (d document) withEnds(text string) string {
	text = plainEnds(text)
	if d.eol != "\n" {
		text = strings.ReplaceAll(text, "\n", d.eol)
	}
	return text
}

// onDisk turns an offset in text into one in raw.
func (d document) onDisk(offset int) int {
	before, _ := slices.BinarySearch(d.returns, offset)
	return d.mark + offset + before
}

// lines returns the lines of the text with their line feeds; the last may lack it.
func (d document) lines() []string { return splitLines(d.text) }

// count is the number of lines, the last one counted without line feed as well.
func (d document) count() int {
	n := strings.Count(d.text, "\n")
	if d.text != "" && !strings.HasSuffix(d.text, "\n") {
		n++
	}
	return n
}

// span returns the offsets in text of the lines first to last, counted from 1.
func (d document) span(first, last int) (start, end int) {
	for i, line := range d.lines() {
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

// plainEnds turns CRLF into LF.
func plainEnds(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// splitLines cuts text after each line feed; an empty text has no lines.
func splitLines(text string) []string { return slices.Collect(strings.Lines(text)) }

// lineAt returns the number, from 1, of the line that holds an offset.
func lineAt(text string, offset int) int { return strings.Count(text[:offset], "\n") + 1 }
