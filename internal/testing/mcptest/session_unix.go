//go:build unix

package mcptest

import (
	"os/exec"
	"syscall"
)

// inOwnSession makes a child start in a separate session.
func inOwnSession(child *exec.Cmd) { child.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
