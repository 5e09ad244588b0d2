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

// GiveBack gives the terminal to the shell that started the program, which then runs on in the
// background and survives the terminal. It reports false if no shell takes the terminal.
//
// A shell takes it from a program that stops. A helper process makes the
// program and its own helpers continue.
func GiveBack(out *os.File) bool {
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
