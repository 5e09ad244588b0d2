package term

import (
	"strconv"
	"strings"
	"unicode"
)

// Modifier bits of the CSI encodings. Lock keys are ignored. A key with any other modifier, such as super,
// is ignored as a whole.
const (
	modShift = 1
	modAlt   = 2
	modCtrl  = 4
	modLocks = 64 | 128
	modOther = 8 | 16 | 32
)

// finals maps the last character of a sequence to its key. numbers maps the number before "~" to its key.
var (
	finals = map[byte]string{
		'A': "up", 'B': "down", 'C': "right", 'D': "left", 'H': "home", 'F': "end",
		'P': "f1", 'Q': "f2", 'R': "f3", 'S': "f4",
	}
	numbers = map[string]string{
		"1": "home", "2": "insert", "3": "delete", "4": "end", "5": "pgup", "6": "pgdown", "7": "home", "8": "end",
		"11": "f1", "12": "f2", "13": "f3", "14": "f4", "15": "f5",
		"17": "f6", "18": "f7", "19": "f8", "20": "f9", "21": "f10", "23": "f11", "24": "f12",
	}
)

// decodeCSI returns the event of a CSI sequence, or nil if it has no meaning here.
func decodeCSI(unit []byte) Event {
	if len(unit) < len("\x1b[A") { // a control character interrupted the sequence
		return nil
	}
	final := unit[len(unit)-1]
	params := strings.Split(string(unit[2:len(unit)-1]), ";")
	mods := (number(params, 1, 1) - 1) &^ modLocks
	switch {
	case final == 'u':
		return extendedKey(rune(number(params, 0, 1)), mods)
	case final == '~' && params[0] == "27" && len(params) == 3:
		return extendedKey(rune(number(params, 2, 0)), mods)
	case final == '~':
		return modified(numbers[params[0]], mods)
	case final == 'Z':
		return namedKey("shift+tab")
	case (final == 'I' || final == 'O') && params[0] == "":
		return Focus(final == 'I')
	}
	return modified(finals[final], mods)
}

// modified returns the event of a function key with modifiers.
func modified(name string, mods int) Event {
	if name == "" || mods < 0 || mods&modOther != 0 {
		return nil
	}
	if mods&modShift != 0 {
		name = "shift+" + name
	}
	if mods&modAlt != 0 {
		name = "alt+" + name
	}
	if mods&modCtrl != 0 {
		name = "ctrl+" + name
	}
	return namedKey(name)
}

// extendedKey returns the event of a key given by its character and modifiers.
func extendedKey(code rune, mods int) Event {
	code = keypad(code)
	if mods&modOther != 0 || mods < 0 {
		return nil
	}
	switch {
	case code == '\r' && mods&modAlt == 0 && mods != 0:
		return namedKey("ctrl+j") // Shift+Enter and Ctrl+Enter
	case code == '\t' && mods&modShift != 0:
		return namedKey("shift+tab")
	case code == 127 && mods&modCtrl != 0:
		return namedKey("alt+backspace")
	}
	var key Key
	switch c, ok := control(code); {
	case mods&modCtrl != 0 && ok:
		key = controlKey(c)
	case mods&modCtrl != 0:
		return nil
	case code == '\r' || code == '\t' || code == 0x1b || code == 127:
		key = controlKey(byte(code))
	case code < ' ' || code >= 0x80 && code < 0xa0 || code >= 0xE000 && code <= 0xF8FF || code > unicode.MaxRune:
		return nil
	case mods&modShift != 0:
		key = typedKey(unicode.ToUpper(code))
	default:
		key = typedKey(code)
	}
	if mods&modAlt != 0 {
		key = withAlt(key)
	}
	return key
}

// control returns the control character of a key with Ctrl.
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

// keypad maps the private characters of keypad keys to ordinary characters.
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

// number returns the i-th parameter without its sub-parameters, or missing if there is none.
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
