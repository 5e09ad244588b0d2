package term

import (
	"bytes"
	"unicode/utf8"
)

// The sequences around a bracketed paste.
const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// Longest sequences worth waiting for; anything longer is noise and is dropped.
const (
	maxCSI = 64
	maxOSC = 256
)

// Decoder translates what the terminal sends into what Bubble Tea v1 understands:
//
//   - sequences and characters split across reads are held back until complete;
//   - a bracketed paste is cut out and stored, and a short paste of its number goes
//     on instead (Bubble Tea re-reads a growing paste from its start: quadratic);
//   - keys in the CSI-u and modifyOtherKeys encodings become the old ones, with
//     Shift+Enter as Ctrl+J;
//   - answers to our own query for the background colour are taken out.
//
// Feeding bytes in any portions gives the same output (fuzzed), apart from lone
// escapes, see flush.
type Decoder struct {
	Pastes *Pastes
	// Background receives the terminal's answer about its background colour.
	Background func(answer string)

	held    []byte
	pasting bool
	paste   []byte
}

// feed translates in and appends the result to out.
func (d *Decoder) feed(out, in []byte) []byte {
	buf := in
	if len(d.held) > 0 {
		buf = append(d.held, in...)
		d.held = nil
	}
	for len(buf) > 0 {
		if d.pasting {
			out, buf = d.feedPaste(out, buf)
			continue
		}
		n := UnitLength(buf)
		if n == 0 {
			d.held = bytes.Clone(buf)
			return out
		}
		out = d.translate(out, buf[:n])
		buf = buf[n:]
	}
	return out
}

// feedPaste collects pasted bytes and returns what follows the paste.
func (d *Decoder) feedPaste(out, buf []byte) (newOut, rest []byte) {
	from := max(0, len(d.paste)-len(pasteEnd)+1)
	d.paste = append(d.paste, buf...)
	i := bytes.Index(d.paste[from:], []byte(pasteEnd))
	if i < 0 {
		return out, nil
	}
	end := from + i
	rest = bytes.Clone(d.paste[end+len(pasteEnd):])
	if end > 0 {
		out = append(out, pasteBegin...)
		out = append(out, d.Pastes.Put(string(d.paste[:end]))...)
		out = append(out, pasteEnd...)
	}
	d.paste, d.pasting = nil, false
	return out, rest
}

// waiting reports whether bytes are held back that may be a key by themselves:
// only time tells a lone Esc from the start of a sequence.
func (d *Decoder) waiting() bool {
	return len(d.held) > 0 && !bytes.HasPrefix(d.held, []byte(backgroundAnswer))
}

// flush gives up waiting: what is held is a key by itself.
func (d *Decoder) flush(out []byte) []byte {
	out = append(out, d.held...)
	d.held = nil
	return out
}

// UnitLength returns the length of the character or sequence that buf begins
// with, or 0 when its end is not there yet.
func UnitLength(buf []byte) int {
	if buf[0] != 0x1b {
		return runeLength(buf)
	}
	if len(buf) == 1 {
		return 0
	}
	switch buf[1] {
	case '[':
		return csiLength(buf)
	case ']':
		return oscLength(buf)
	case 'O':
		if len(buf) < 3 {
			return 0
		}
		return 3
	case 0x1b:
		return 1
	}
	if n := runeLength(buf[1:]); n > 0 {
		return 1 + n
	}
	return 0
}

func runeLength(buf []byte) int {
	if !utf8.FullRune(buf) {
		return 0
	}
	_, n := utf8.DecodeRune(buf)
	return n
}

func csiLength(buf []byte) int {
	for i := 2; i < len(buf); i++ {
		switch c := buf[i]; {
		case c >= 0x40 && c <= 0x7e:
			return i + 1
		case c < 0x20 || c > 0x7e || i >= maxCSI:
			return i
		}
	}
	return 0
}

func oscLength(buf []byte) int {
	for i := 2; i < len(buf); i++ {
		switch c := buf[i]; {
		case c == 0x07:
			return i + 1
		case c == 0x1b && i+1 == len(buf):
			return 0
		case c == 0x1b && buf[i+1] == '\\':
			return i + 2
		case c < 0x20 || i >= maxOSC:
			return i
		}
	}
	return 0
}

// translate appends what Bubble Tea shall see of one complete unit.
func (d *Decoder) translate(out, unit []byte) []byte {
	if len(unit) < 3 || unit[0] != 0x1b {
		return append(out, unit...)
	}
	switch unit[1] {
	case ']':
		if answer, ok := bytes.CutPrefix(unit, []byte(backgroundAnswer)); ok {
			d.Background(string(bytes.TrimRight(answer, "\a\x1b\\")))
		}
		return out
	case '[':
		switch string(unit) {
		case pasteBegin:
			d.pasting = true
			return out
		case pasteEnd:
			return out
		}
		return translateCSI(out, unit)
	}
	return append(out, unit...)
}
