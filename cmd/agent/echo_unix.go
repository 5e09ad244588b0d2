//go:build unix

package main

import "golang.org/x/sys/unix"

// hideInput turns off the echo of a terminal, so that a key which is pasted right after the prompt is
// not shown. term.Restore turns it on again.
func hideInput(terminal int) error {
	state, err := unix.IoctlGetTermios(terminal, getTermios)
	if err != nil {
		return err
	}
	state.Lflag &^= unix.ECHO
	return unix.IoctlSetTermios(terminal, setTermios, state)
}
