package tui

import (
	"io"
	"os"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// The keyboard is asked to tell Shift+Enter from Enter: by kitty's protocol
// (disambiguate) and by xterm's modifyOtherKeys. Terminals without them ignore it.
const (
	keyboardOn  = "\x1b[>1u\x1b[>4;1m"
	keyboardOff = "\x1b[<u\x1b[>4m"
)

// terminal is the terminal's mode: raw while the interface runs, as it was before
// otherwise.
type terminal struct {
	in, out *os.File
	screen  *screen
	before  *term.State
	// simple terminals are not sent sequences that are not in every textbook.
	simple bool
}

// enter takes the terminal.
func (t *terminal) enter() error {
	before, err := term.MakeRaw(t.in.Fd())
	if err != nil {
		return err
	}
	t.before = before
	t.write(ansi.SetModeBracketedPaste)
	if !t.simple {
		t.write(keyboardOn)
	}
	return nil
}

// leave gives the terminal back as it was; the cursor stands below what was
// printed. It may be called more than once.
func (t *terminal) leave() {
	if t.before == nil {
		return
	}
	t.screen.flush()
	t.screen.erase()
	if !t.simple {
		t.write(keyboardOff)
	}
	t.write(ansi.ResetModeBracketedPaste + ansi.ShowCursor)
	_ = term.Restore(t.in.Fd(), t.before)
	t.before = nil
}

// pause gives the terminal to a program that needs it, and takes it back.
func (t *terminal) pause(run func() error) error {
	t.leave()
	err := run()
	if again := t.enter(); err == nil {
		err = again
	}
	return err
}

func (t *terminal) write(s string) { _, _ = io.WriteString(t.out, s) }

// size returns the window's size, or the size of a textbook terminal when it has
// none to tell.
func (t *terminal) size() (width, height int) {
	width, height, err := term.GetSize(t.out.Fd())
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}
