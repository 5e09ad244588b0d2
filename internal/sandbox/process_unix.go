//go:build unix

package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// SetNewGroup sets a command, which has not been started, to run as the head of a new session and process
// group.
func SetNewGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// AskGroup sends every process of a group the signal to end.
func AskGroup(group int) error { return syscall.Kill(-group, syscall.SIGTERM) }

// KillGroup kills every process of a group.
func KillGroup(group int) { _ = syscall.Kill(-group, syscall.SIGKILL) }

// closeDescriptorsOnExec marks every descriptor above the standard ones as close-on-exec. So
// commands do not inherit descriptors that this program inherited, such as a script's lock file or
// an editor's folder. Package os marks later descriptors itself.
var closeDescriptorsOnExec = sync.OnceFunc(func() {
	const standard = 3
	for _, table := range []string{"/proc/self/fd", "/dev/fd"} {
		open, err := os.ReadDir(table)
		if err != nil {
			continue
		}
		for _, entry := range open {
			if fd, err := strconv.Atoi(entry.Name()); err == nil && fd >= standard {
				unix.CloseOnExec(fd)
			}
		}
		return
	}
})

func moveOut(folder *os.File, name, to string) error {
	return unix.Renameat(int(folder.Fd()), name, unix.AT_FDCWD, filepath.Join(to, name))
}

// executable returns path if it is a program, "" otherwise.
func executable(path string) string {
	if info, err := os.Stat(path); err == nil && !info.IsDir() && info.Mode().Perm()&0o111 != 0 {
		return path
	}
	return ""
}
