package mcptest

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// inOwnSession starts a child in a process group of its own.
func inOwnSession(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}
