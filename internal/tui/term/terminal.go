// Package term is the terminal itself: its modes, what it sends (Decoder), and the
// one place that writes to it (Screen). It knows nothing of what is shown.
package term

import (
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"
)

// The keyboard is asked to distinguish Shift+Enter from Enter: by kitty's protocol
// (disambiguate) and by xterm's modifyOtherKeys. Terminals without them ignore it.
const (
	keyboardOn = "\x1b[>1u\x1b[>4;1m"
	// KeyboardOff undoes it.
	KeyboardOff = "\x1b[<u\x1b[>4m"
)

// noTitle gives the title back to the shell.
const noTitle = "\x1b]2;\x1b\\"

// Terminal is the terminal's mode: raw while the interface runs, as it was before
// otherwise.
type Terminal struct {
	In, Out *os.File
	Screen  *Screen
	before  *term.State
	// Simple terminals are not sent sequences that are not in every textbook.
	Simple bool
}

// Enter takes the terminal.
func (t *Terminal) Enter() error {
	before, err := term.MakeRaw(int(t.In.Fd()))
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

// Leave gives the terminal back as it was; the cursor is below what was
// printed. It may be called more than once.
func (t *Terminal) Leave() {
	if t.before == nil {
		return
	}
	t.Screen.Flush()
	t.Screen.erase()
	if !t.Simple {
		t.Write(KeyboardOff + ansi.ResetModeFocusEvent + noTitle)
	}
	t.Write(ansi.ResetModeBracketedPaste + ansi.ShowCursor)
	_ = term.Restore(int(t.In.Fd()), t.before)
	t.before = nil
}

// Lend gives the terminal to a program that needs it, and takes it back.
func (t *Terminal) Lend(run func() error) error {
	t.Leave()
	err := run()
	if again := t.Enter(); err == nil {
		err = again
	}
	return err
}

// Write sends a sequence to the terminal.
func (t *Terminal) Write(s string) { _, _ = io.WriteString(t.Out, s) }

// Size returns the window's size, or the size of a textbook terminal when it has
// none to report.
func (t *Terminal) Size() (width, height int) { return SizeOf(t.Out) }

// SizeOf returns the size of the window that a file is.
func SizeOf(out *os.File) (width, height int) {
	width, height, err := term.GetSize(int(out.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

// IsTerminal reports whether a file is a terminal.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// stopTime is how long the process may take to stop. Where no shell can continue
// it, the kernel does not stop it at all.
const stopTime = 300 * time.Millisecond

// Suspend stops the process group, like Ctrl+Z in any program, and returns when
// the shell continues it.
func Suspend() error {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	select {
	case <-continued:
	case <-time.After(stopTime):
	}
	return nil
}

// Lookup returns the value of a variable of an environment of "KEY=value"; the
// last one wins.
func Lookup(environ []string, key string) string {
	for _, pair := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(pair, key+"="); ok {
			return value
		}
	}
	return ""
}
