//go:build unix

package mcptest

import (
	"os/exec"
	"syscall"
)

// inOwnSession starts a child in a session of its own.
func inOwnSession(child *exec.Cmd) { child.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
