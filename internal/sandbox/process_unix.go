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

// Apart makes a command, which has not been started, the head of a session and a process group of
// its own.
func Apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// AskGroup asks every process of a group to end.
func AskGroup(group int) error { return syscall.Kill(-group, syscall.SIGTERM) }

// KillGroup ends every process of a group by force.
func KillGroup(group int) { _ = syscall.Kill(-group, syscall.SIGKILL) }

// closeDescriptorsOnExec marks every descriptor above the standard ones as close-on-exec. So no
// command inherits descriptors that this program was started with, such as a script's lock file
// or an editor's folder. Package os marks later descriptors itself.
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

// moveOut moves a name in an open folder to a path.
func moveOut(folder *os.File, name, to string) error {
	return unix.Renameat(int(folder.Fd()), name, unix.AT_FDCWD, filepath.Join(to, name))
}

// executable returns a path if a program is there, "" otherwise.
func executable(path string) string {
	if info, err := os.Stat(path); err == nil && !info.IsDir() && info.Mode().Perm()&0o111 != 0 {
		return path
	}
	return ""
}
