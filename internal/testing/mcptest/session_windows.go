package mcptest

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// inOwnSession makes a child start in a separate process group.
func inOwnSession(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}
