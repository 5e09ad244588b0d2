package term

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// HideInput turns off the echo of a console. restore turns the echo on again.
func HideInput(f *os.File) (restore func() error, err error) {
	console, before := windows.Handle(f.Fd()), uint32(0)
	err = windows.GetConsoleMode(console, &before)
	return func() error { return windows.SetConsoleMode(console, before) }, errors.Join(err, windows.SetConsoleMode(console, before&^windows.ENABLE_ECHO_INPUT))
}
