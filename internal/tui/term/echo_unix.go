//go:build unix

package term

import (
	"os"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// HideInput turns off the echo of a terminal, so that an API key that is pasted right after the prompt is
// not shown. restore turns the echo on again.
func HideInput(f *os.File) (restore func() error, err error) {
	terminal := int(f.Fd())
	before, err := term.GetState(terminal)
	if err != nil {
		return nil, err
	}
	state, err := unix.IoctlGetTermios(terminal, getTermios)
	if err != nil {
		return nil, err
	}
	state.Lflag &^= unix.ECHO
	return func() error { return term.Restore(terminal, before) }, unix.IoctlSetTermios(terminal, setTermios, state)
}
