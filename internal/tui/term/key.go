package term

// Event is something the terminal sent: a Key, a Paste, a Background or a Focus.
type Event any

// Key is a key that was pressed.
type Key struct {
	// Name says which: "enter", "ctrl+c", "alt+left"; for a key that types, what
	// it types.
	Name string
	// Text is what the key types, empty for all others.
	Text string
}

// Types reports whether the key types text.
func (k Key) Types() bool { return k.Text != "" }

// Paste is pasted text, as it came.
type Paste string

// Background is the terminal's answer about its background colour.
type Background struct{ Dark bool }

// Focus says that the window got or lost the focus.
type Focus bool

// typed is the key that types r.
func typed(r rune) Key { return Key{Name: string(r), Text: string(r)} }

// named is a key that types nothing.
func named(name string) Key { return Key{Name: name} }

// withAlt is the key held together with Alt; it types nothing.
func withAlt(k Key) Key { return Key{Name: "alt+" + k.Name} }

// controlKey is the key behind a control character.
func controlKey(c byte) Key {
	switch {
	case c == '\r':
		return named("enter")
	case c == '\t':
		return named("tab")
	case c == 0x1b:
		return named("esc")
	case c == 0x7f:
		return named("backspace")
	case c == 0:
		return named("ctrl+space")
	case c < 0x1b:
		return named("ctrl+" + string(rune(c+'a'-1)))
	}
	return named("ctrl+" + string(rune(c+'@')))
}
