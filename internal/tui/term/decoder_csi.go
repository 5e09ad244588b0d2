package term

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Modifier bits of the CSI encodings. Others (locks, super) are ignored or make a
// key that means nothing here.
const (
	modShift = 1
	modAlt   = 2
	modCtrl  = 4
	modLocks = 64 | 128
	modOther = 8 | 16 | 32
)

// translateCSI appends the old encoding of a CSI sequence, which is the sequence
// itself for all but the extended keys.
func translateCSI(out, unit []byte) []byte {
	final := unit[len(unit)-1]
	params := strings.Split(string(unit[2:len(unit)-1]), ";")
	switch {
	case final == 'u':
		code, mods := number(params, 0, 1), number(params, 1, 1)-1
		return extendedKey(out, rune(code), mods)
	case final == '~' && params[0] == "27" && len(params) == 3:
		return extendedKey(out, rune(number(params, 2, 0)), number(params, 1, 1)-1)
	case len(params) == 2 && strings.IndexByte("ABCDEFHPQRS~", final) >= 0:
		return append(out, withoutLocks(params, final)...)
	}
	return append(out, unit...)
}

// withoutLocks removes Caps Lock and Num Lock from the modifiers of a function
// key, which would make it unknown.
func withoutLocks(params []string, final byte) string {
	mods := (number(params, 1, 1) - 1) &^ modLocks
	switch {
	case mods > 0:
		return fmt.Sprintf("\x1b[%s;%d%c", params[0], mods+1, final)
	case final == '~':
		return "\x1b[" + params[0] + "~"
	case strings.IndexByte("PQRS", final) >= 0:
		return "\x1bO" + string(final)
	default:
		return "\x1b[" + string(final)
	}
}

// extendedKey appends the old encoding of a key given by its character and
// modifiers. Keys without one are dropped.
func extendedKey(out []byte, code rune, mods int) []byte {
	mods &^= modLocks
	code = keypad(code)
	if mods&modOther != 0 || mods < 0 {
		return out
	}
	if code == '\r' {
		if mods&modAlt != 0 || mods == 0 {
			return alted(out, mods, '\r')
		}
		return append(out, '\n')
	}
	if code == '\t' && mods&modShift != 0 {
		return append(out, "\x1b[Z"...)
	}
	if code == 127 && mods&modCtrl != 0 {
		return alted(out, modAlt, 127)
	}
	if mods&modCtrl != 0 {
		if c, ok := control(code); ok {
			return alted(out, mods, rune(c))
		}
		return out
	}
	if mods&modShift != 0 {
		code = unicode.ToUpper(code)
	}
	if code < ' ' && code != '\t' && code != 0x1b || code >= 0xE000 && code <= 0xF8FF {
		return out
	}
	return alted(out, mods, code)
}

// alted appends a character, with Esc before it when Alt was held.
func alted(out []byte, mods int, r rune) []byte {
	if mods&modAlt != 0 {
		out = append(out, 0x1b)
	}
	return utf8.AppendRune(out, r)
}

// control returns the control character of a key held with Ctrl.
func control(code rune) (byte, bool) {
	switch {
	case code >= 'a' && code <= 'z', code >= '[' && code <= '_', code >= 'A' && code <= 'Z', code == '@':
		return byte(code) & 0x1f, true
	case code == ' ':
		return 0, true
	case code == '/', code == '-':
		return 0x1f, true
	}
	return 0, false
}

// keypad maps the private characters of the keypad's keys to plain ones.
func keypad(code rune) rune {
	const digits, enter = 57399, 57414
	switch {
	case code >= digits && code <= digits+9:
		return '0' + code - digits
	case code > digits+9 && code < enter:
		return []rune("./*-+")[code-digits-10]
	case code == enter:
		return '\r'
	}
	return code
}

// number returns the i-th parameter, without its sub-parameters, or a default.
func number(params []string, i, missing int) int {
	if i >= len(params) {
		return missing
	}
	text, _, _ := strings.Cut(params[i], ":")
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return missing
}
