//go:build unix

package mcp_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// runs reports whether a process runs. A zombie does not.
func runs(pid int) bool {
	if pid == 0 || syscall.Kill(pid, 0) == syscall.ESRCH {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return !os.IsNotExist(err)
	}
	_, after, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	return !strings.HasPrefix(after, "Z") && !strings.HasPrefix(after, "X")
}
