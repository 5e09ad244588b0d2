// Package term controls the terminal. Terminal switches its modes, Keyboard reads it and decodes the bytes
// into events with a Decoder, and Screen paints frames.
//
// Package tui has one of each. Screen is the only writer of text to the terminal, and makes every row safe
// (style.Seal). Keyboard and Screen have their own goroutines, so that a slow terminal never blocks the
// event loop. The package does not depend on the meaning of the rows.
package term

import (
	"io"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"
)

// keyboardOn requests that the keyboard distinguishes Shift+Enter from Enter, with kitty's protocol
// (disambiguate) and with xterm's modifyOtherKeys. Terminals without these ignore the request.
const (
	keyboardOn = "\x1b[>1u\x1b[>4;1m"
	// KeyboardOff undoes keyboardOn.
	KeyboardOff = "\x1b[<u\x1b[>4m"
)

// noTitle removes the title, so that the shell can set its own title again.
const noTitle = "\x1b]2;\x1b\\"

// Terminal switches the mode of the terminal: to raw mode while the interface runs, and back to the
// previous mode afterwards.
type Terminal struct {
	In, Out *os.File
	Screen  *Screen
	// before restores the previous mode of the terminal. It is nil while that mode is active.
	before func() error
	// Undo is sent first when the terminal is restored. It clears the reported state.
	Undo string
	// Simple is set for a terminal that supports only basic escape sequences.
	Simple bool
}

// Enter switches the terminal to raw mode.
func (t *Terminal) Enter() error {
	before, err := makeRaw(t.In, t.Out)
	if err != nil {
		return err
	}
	t.before = before
	t.Write(ansi.SetModeBracketedPaste)
	if !t.Simple {
		t.Write(keyboardOn + ansi.SetModeFocusEvent)
	}
	return nil
}

// Restore restores the terminal. The cursor is then below the printed lines. Restore may be called more
// than once.
func (t *Terminal) Restore() {
	if t.before == nil {
		return
	}
	t.Screen.Flush()
	t.Screen.erase()
	if !t.Simple {
		t.Write(t.Undo + KeyboardOff + ansi.ResetModeFocusEvent + noTitle)
	}
	t.Write(ansi.ResetModeBracketedPaste + ansi.ShowCursor)
	_ = t.before()
	t.before = nil
}

// RunProgram restores the terminal, runs a program that needs it, and enters raw mode again.
func (t *Terminal) RunProgram(run func() error) error {
	t.Restore()
	err := run()
	if again := t.Enter(); err == nil {
		err = again
	}
	return err
}

// Write sends a sequence to the terminal.
func (t *Terminal) Write(s string) { _, _ = io.WriteString(t.Out, s) }

// Size returns the size of the window, or 80 by 24 if the terminal does not report one.
func (t *Terminal) Size() (width, height int) { return SizeOf(t.Out) }

// SizeOf returns the size of a terminal's window, or 80 by 24 if that is unknown.
func SizeOf(out *os.File) (width, height int) {
	width, height, err := term.GetSize(int(out.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

// IsTerminal reports whether a file is a terminal.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// Lookup returns the value of a variable in an environment of "KEY=value" items. The last item wins.
func Lookup(environ []string, key string) string {
	for _, pair := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(pair, key+"="); ok {
			return value
		}
	}
	return ""
}
