package shell

import (
	"bytes"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"agent/internal/text/lines"
)

// longestPartialLine limits an unfinished line that the cleaner keeps, in bytes.
const longestPartialLine = 64 << 10

// cleaner turns the output of a program into plain text. It removes escape sequences, keeps only
// the last state of a progress bar that overwrites itself, replaces invalid UTF-8, and drops other
// control characters. It writes whole lines, so that a sequence or character is complete even if a
// read splits it.
type cleaner struct {
	to io.Writer
	// partial is the beginning of the line that is not finished yet.
	partial []byte
}

func (c *cleaner) Write(data []byte) (int, error) {
	end := bytes.LastIndexByte(data, '\n') + 1
	if end > 0 {
		whole := data[:end]
		if len(c.partial) > 0 {
			whole = append(c.partial, whole...)
			c.partial = whole[:0]
		}
		c.emit(whole)
	}
	c.partial = append(c.partial, data[end:]...)
	if len(c.partial) > longestPartialLine {
		c.shorten()
	}
	return len(data), nil
}

// shorten writes a partial line that is too long. It keeps the end, which may be half a character
// or half an escape sequence.
func (c *cleaner) shorten() {
	if overwritten := bytes.LastIndexByte(c.partial[:len(c.partial)-1], '\r'); overwritten >= 0 {
		c.partial = append(c.partial[:0], c.partial[overwritten+1:]...)
		return
	}
	end := len(lines.TrimPartialRune(string(c.partial)))
	const longestSequence = 256
	if escape := bytes.LastIndexByte(c.partial, ansi.ESC); escape > len(c.partial)-longestSequence {
		end = min(end, escape)
	}
	c.emit(c.partial[:end])
	c.partial = append(c.partial[:0], c.partial[end:]...)
}

// flush writes the last line even if it is not finished.
func (c *cleaner) flush() {
	c.emit(c.partial)
	c.partial = nil
}

func (c *cleaner) emit(text []byte) {
	if text = cleanLines(text); len(text) > 0 {
		// The writer stores text in memory and returns no errors.
		_, _ = c.to.Write(text)
	}
}

// cleanLines returns text without sequences and control characters. It is fast for clean text,
// which it returns unchanged.
func cleanLines(text []byte) []byte {
	if isClean(text) {
		return text
	}
	cleaned := make([]byte, 0, len(text))
	for line := range bytes.Lines(text) {
		cleaned = append(cleaned, cleanLine(line)...)
	}
	return cleaned
}

func isClean(text []byte) bool {
	for _, b := range text {
		if b < ' ' && b != '\n' && b != '\t' || b == 0x7f || b == 0xc2 {
			// 0xc2 is the first byte of the control characters above ASCII.
			return false
		}
	}
	return utf8.Valid(text)
}

func cleanLine(line []byte) []byte {
	text, ended := strings.CutSuffix(strings.ToValidUTF8(string(line), "\uFFFD"), "\n")
	text = strings.TrimRight(ansi.Strip(text), "\r")
	text = text[strings.LastIndexByte(text, '\r')+1:]
	kept := make([]byte, 0, len(text)+1)
	for _, r := range text {
		switch {
		case r == '\b':
			_, last := utf8.DecodeLastRune(kept)
			kept = kept[:len(kept)-last]
		case r == '\t' || !unicode.IsControl(r):
			kept = utf8.AppendRune(kept, r)
		}
	}
	if ended {
		kept = append(kept, '\n')
	}
	return kept
}
