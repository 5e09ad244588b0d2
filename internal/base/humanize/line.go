package humanize

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line puts text on one line of at most limit characters: every run of spaces and line breaks
// becomes one space, hidden characters are made visible, and a cut ends in "…". A limit below 1
// means no limit. Applying Line again changes nothing.
func Line(text string, limit int) string {
	const longestSymbol = len("<U+10FFFF>")
	if (limit < 1 || len(text) <= limit) && isTidy(text) {
		return text
	}
	cut := false
	if limit > 0 {
		// The text may have megabytes, so only its beginning is examined.
		text, cut = beginning(text, limit+1)
	} else {
		text = strings.Join(strings.Fields(text), " ")
	}
	text = EscapeInvisible(text)
	if limit < 1 || !cut && len(text) <= limit {
		return text
	}
	if !cut && utf8.RuneCountInString(text) <= limit {
		return text
	}
	runes := []rune(text[:min(len(text), limit*longestSymbol)])
	// A joiner (U+200D) at the end would join nothing.
	return strings.TrimRight(string(runes[:min(len(runes), limit-1)]), " \u200d") + "…"
}

// beginning returns the start of text, up to most characters, with every run of spaces replaced by
// one. more reports whether more text follows.
func beginning(text string, most int) (start string, more bool) {
	var b strings.Builder
	length, gap := 0, false
	for i, size := 0, 0; i < len(text); i += size {
		var r rune
		r, size = utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) {
			gap = length > 0
			continue
		}
		if length >= most {
			return b.String(), true
		}
		if gap {
			b.WriteByte(' ')
			length++
		}
		gap = false
		b.WriteString(text[i : i+size])
		length++
	}
	return b.String(), false
}

// isTidy reports whether text is ASCII on one line with single spaces inside, as most paths and
// commands are.
func isTidy(text string) bool {
	gap := true
	for i := range len(text) {
		c := text[i]
		if c == ' ' && gap || c < ' ' || c > '~' {
			return false
		}
		gap = c == ' '
	}
	return text == "" || !gap
}

// FirstLine returns the first line of text that is not blank, without the spaces
// around it.
func FirstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

// Headline returns the first line of text that is not blank, with "…" if more lines follow.
func Headline(text string) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if more {
		line += " …"
	}
	return line
}

// FileName returns the name of a file on one line. It quotes a name with control characters, such as
// line breaks, which would make it look like several names.
func FileName(name string) string {
	if strings.ContainsFunc(name, unicode.IsControl) {
		return strconv.Quote(name)
	}
	return name
}

// These constants limit a notice: its lines, and the characters in each.
const (
	briefLines = 8
	briefWidth = 600
)

// Brief shortens untrusted text for a notice. It keeps the first lines that are not blank, each cut
// to a maximum length, and adds the number of further lines. It does not change the characters.
// Applying Brief again changes nothing.
func Brief(text string) string {
	var kept []string
	lines := 0
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if lines++; lines <= briefLines {
			kept = append(kept, shortened(strings.TrimRight(line, " \t"), briefWidth))
		}
	}
	if lines > briefLines {
		kept[briefLines-1] = "… " + Count(lines-briefLines+1, "more line")
	}
	return strings.Join(kept, "\n")
}

// shortened cuts a line to at most most characters, and ends it with "…" if text was cut.
func shortened(line string, most int) string {
	if len(line) <= most || utf8.RuneCountInString(line) <= most {
		return line
	}
	at := 0
	for range most - 1 {
		_, size := utf8.DecodeRuneInString(line[at:])
		at += size
	}
	return line[:at] + "…"
}

// KeepEnd cuts a text that is longer than 2*kept bytes to its last kept bytes. Since it cuts
// rarely, appending stays cheap.
func KeepEnd(text []byte, kept int) []byte {
	if len(text) > 2*kept {
		text = append(text[:0], text[len(text)-kept:]...)
	}
	return text
}
