package term

import (
	"bytes"
	"unicode/utf8"
)

// These sequences surround a bracketed paste.
const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// These are the longest sequences that the decoder accepts, in bytes. Anything longer is dropped.
const (
	maxCSI = 64
	maxOSC = 256
)

// Decoder splits the bytes from the terminal into events. If a sequence or character is split across reads,
// the decoder keeps its bytes until it is complete. A bracketed paste is one event. The events do not
// depend on how the bytes are divided (fuzzed), except for lone escapes; see flush.
type Decoder struct {
	held    []byte
	pasting bool
	paste   []byte
}

// Feed decodes the bytes in and appends the events to out.
func (d *Decoder) Feed(out []Event, in []byte) []Event {
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
		if event := d.decode(buf[:n]); event != nil {
			out = append(out, event)
		}
		buf = buf[n:]
	}
	return out
}

// feedPaste collects pasted bytes and returns the bytes after the paste.
func (d *Decoder) feedPaste(out []Event, buf []byte) (newOut []Event, rest []byte) {
	from := max(0, len(d.paste)-len(pasteEnd)+1)
	d.paste = append(d.paste, buf...)
	i := bytes.Index(d.paste[from:], []byte(pasteEnd))
	if i < 0 {
		return out, nil
	}
	end := from + i
	rest = bytes.Clone(d.paste[end+len(pasteEnd):])
	if end > 0 {
		out = append(out, Paste(d.paste[:end]))
	}
	d.paste, d.pasting = nil, false
	return out, rest
}

// waiting reports whether the incomplete bytes may be keys by themselves. Only elapsed time distinguishes
// Esc, or Esc and a bracket, from the start of a sequence. The rest of a longer sequence or of a character
// is certain to arrive, even over a slow line.
func (d *Decoder) waiting() bool {
	return len(d.held) > 0 && len(d.held) <= 2 && d.held[0] == 0x1b && d.held[len(d.held)-1] < 0x80
}

// flush stops waiting. It treats the pending Esc, and the byte after it, as typed keys.
func (d *Decoder) flush(out []Event) []Event {
	for _, c := range d.held {
		out = append(out, plainKey([]byte{c}))
	}
	d.held = nil
	return out
}

// UnitLength returns the length of the first character or sequence in buf, or 0 if it is incomplete.
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

// decode returns the event of one complete unit, or nil if the unit has no meaning here.
func (d *Decoder) decode(unit []byte) Event {
	if unit[0] != 0x1b {
		return plainKey(unit)
	}
	switch {
	case len(unit) == 1:
		return namedKey("esc")
	case unit[1] == ']':
		if answer, ok := bytes.CutPrefix(unit, []byte(backgroundAnswer)); ok {
			if dark, known := isDark(string(bytes.TrimRight(answer, "\a\x1b\\"))); known {
				return Background{dark}
			}
		}
		if answer := string(unit); answer == StatusQuery || answer == statusAnswer+"?\a" {
			return StatusSupported{}
		}
		return nil
	case unit[1] == 'O':
		return modified(finals[unit[len(unit)-1]], 0)
	case unit[1] != '[':
		return withAlt(plainKey(unit[1:]))
	}
	switch string(unit) {
	case pasteBegin:
		d.pasting = true
		return nil
	case pasteEnd:
		return nil
	}
	return decodeCSI(unit)
}

func plainKey(unit []byte) Key {
	if unit[0] < ' ' || unit[0] == 0x7f {
		return controlKey(unit[0])
	}
	r, _ := utf8.DecodeRune(unit)
	return typedKey(r)
}
