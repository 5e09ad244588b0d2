//go:build unix

package term

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// ReturnToShell returns the terminal to the shell that started the program. The program continues in the
// background and survives the closing of the terminal. ReturnToShell returns false if there is no such shell.
//
// A shell resumes control of the terminal when its foreground program stops. So the program stops, and a
// helper process makes the program and its own helpers continue.
func ReturnToShell(out *os.File) bool {
	signal.Ignore(syscall.SIGHUP, syscall.SIGTTOU, syscall.SIGTTIN)
	again := exec.Command("/bin/sh", "-c", fmt.Sprintf("for i in 1 2 3 4 5 6; do sleep 0.2; kill -CONT -%d; done", syscall.Getpgrp()))
	again.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if again.Start() != nil {
		return false
	}
	go func() { _ = again.Wait() }()
	if Suspend() != nil {
		return false
	}
	front, err := unix.IoctlGetInt(int(out.Fd()), unix.TIOCGPGRP)
	return err == nil && front != syscall.Getpgrp()
}
