package term

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Event is an input from the terminal: a Key, a Paste, a Background, a Focus or a StatusSupported.
type Event any

// Key is a key that was pressed.
type Key struct {
	// Name is the name of the key, such as "enter", "ctrl+c" or "alt+left". For a key that types, it is the
	// text.
	Name string
	// Text is the text that the key types, or "".
	Text string
}

// IsText reports whether the key types text.
func (k Key) IsText() bool { return k.Text != "" }

// Paste is pasted text, unchanged.
type Paste string

// Background is the terminal's answer about its background color.
type Background struct{ Dark bool }

// Focus reports that the window got or lost the focus.
type Focus bool

func typedKey(r rune) Key { return Key{Name: string(r), Text: string(r)} }

func namedKey(name string) Key { return Key{Name: name} }

// withAlt returns a key combined with Alt. It types no text.
func withAlt(k Key) Key { return Key{Name: "alt+" + k.Name} }

func controlKey(c byte) Key {
	switch {
	case c == '\r':
		return namedKey("enter")
	case c == '\t':
		return namedKey("tab")
	case c == 0x1b:
		return namedKey("esc")
	case c == 0x7f:
		return namedKey("backspace")
	case c == 0:
		return namedKey("ctrl+space")
	case c < 0x1b:
		return namedKey("ctrl+" + string(rune(c+'a'-1)))
	}
	return namedKey("ctrl+" + string(rune(c+'@')))
}

// modifiers lists the modifiers in the order in which they occur in names of keys.
var modifiers = []string{"ctrl+", "alt+", "shift+"}

// bases lists the names of keys without a character.
var bases = []string{
	"enter", "tab", "esc", "backspace", "space", "up", "down", "left", "right", "home", "end", "insert", "delete", "pgup", "pgdown",
	"f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12",
}

// hidden maps key combinations to the key that a terminal sends for them.
var hidden = map[string]string{
	"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+[": "esc", "ctrl+@": "ctrl+space",
	"shift+enter": "ctrl+j", "ctrl+enter": "ctrl+j", "ctrl+backspace": "alt+backspace", "ctrl+/": "ctrl+_", "ctrl+-": "ctrl+_",
}

// ParseKey returns the name of a key in any spelling, such as "ctrl+k" for "Ctrl+K". If the key cannot be
// used for an action, why is the reason. Otherwise why is "".
func ParseKey(spelled string) (name, why string) {
	rest, prefix := strings.TrimSpace(spelled), ""
	for _, modifier := range modifiers {
		if len(rest) > len(modifier) && strings.EqualFold(rest[:len(modifier)], modifier) {
			prefix, rest = prefix+modifier, rest[len(modifier):]
		}
	}
	letter := utf8.RuneCountInString(rest) == 1
	if prefix != "alt+" || !letter { // Alt with a capital letter is a separate key
		rest = strings.ToLower(rest)
	}
	name = prefix + rest
	switch sent := hidden[name]; {
	case sent != "":
		return "", "terminals send it as " + sent
	case letter && prefix == "", rest == "space" && prefix == "":
		return "", "it types a character"
	case letter && prefix == "alt+", slices.Contains(bases, rest):
		return name, ""
	case letter && (prefix == "ctrl+" || prefix == "ctrl+alt+"):
		if _, ok := control(rune(rest[0])); !ok {
			return "", "terminals can't send it"
		}
		if prefix == "ctrl+alt+" {
			return "alt+ctrl+" + rest, "" // the decoder's name for Alt with a control character
		}
		return name, ""
	case letter:
		return "", "terminals can't send it"
	}
	return "", "unknown key"
}

// KeyLabel returns the name of a key in the form for users, such as "Ctrl+K" for "ctrl+k".
func KeyLabel(name string) string {
	if name == "alt+esc" {
		return "Esc Esc"
	}
	parts := strings.SplitAfter(name, "+")
	for i, part := range parts {
		if len(parts) > 1 && strings.HasPrefix(name, "alt+") && i == len(parts)-1 && len(part) == 1 && part >= "a" && part <= "z" {
			continue // Alt with a capital letter is a separate key
		}
		if part != "" {
			parts[i] = strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return strings.NewReplacer("Pgup", "PgUp", "Pgdown", "PgDown").Replace(strings.Join(parts, ""))
}
