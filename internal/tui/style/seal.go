package style

import (
	"strings"
	"unicode/utf8"

	"agent/internal/tui/link"
	"agent/internal/words"
)

// Seal returns a row as it may be written to a terminal: the sequences that set a style
// stay, and the links that this program made; everything else that a terminal would obey, or show as nothing, is made visible.
// Every row passes through it on its way out, so that text is shown and never obeyed
// wherever it came from; layout cleans text before, because it has to know its width.
func Seal(row string) string {
	return seal(row, func(text string) int { return max(styleLength(text), link.Length(text)) })
}

// SealPlain is Seal for terminals that get no styles: no sequence stays.
func SealPlain(row string) string { return seal(row, func(string) int { return 0 }) }

// seal makes everything in a row visible but sequences of the length that sequence
// returns for what begins with one.
func seal(row string, sequence func(string) int) string {
	var b strings.Builder
	from := 0
	for at := 0; at < len(row); {
		c := row[at]
		if c >= ' ' && c < 0x7f {
			at++
			continue
		}
		if n := sequence(row[at:]); n > 0 {
			at += n
			continue
		}
		r, size := utf8.DecodeRuneInString(row[at:])
		if c >= utf8.RuneSelf && !(r == utf8.RuneError && size == 1) && !Hides(r) {
			at += size
			continue
		}
		b.WriteString(row[from:at])
		b.WriteString(seen(row[at:at+size], r))
		at += size
		from = at
	}
	if from == 0 {
		return row
	}
	return b.String() + row[from:]
}

// seen is what represents a character that a terminal would obey or not show. A tab and
// a line end move the cursor: within a row both are as visible as the others.
func seen(text string, r rune) string {
	switch r {
	case '\t':
		return "␉"
	case '\n':
		return "␊"
	}
	return words.Visible(text)
}

// styleLength is the length of the sequence that sets a style (SGR) at the beginning of
// text, 0 for none.
func styleLength(text string) int {
	if !strings.HasPrefix(text, "\x1b[") {
		return 0
	}
	for i := 2; i < len(text); i++ {
		switch c := text[i]; {
		case c == 'm':
			return i + 1
		case (c < '0' || c > '9') && c != ';' && c != ':':
			return 0
		}
	}
	return 0
}

// Hides reports a character that reorders or hides the text around it, or is blank where
// something seems to be. What sets type without a picture of its own, such as a joiner, is
// none: prose in many scripts needs it. Consent has a stricter rule, see Reveal.
func Hides(r rune) bool {
	switch {
	case r >= 0xa0 && r < 0x300: // Latin, most of what is not ASCII
		return false
	case r >= 0xfe00 && r <= 0xfe0f: // variation selectors
		return false
	}
	switch r {
	case 0xad, 0x200c, 0x200d, 0x2060: // soft hyphen, non-joiner, joiner, no break
		return false
	}
	return words.Hidden(r)
}
