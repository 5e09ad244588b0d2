package sandbox

import (
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// keepDescriptors marks every descriptor above the standard ones close-on-exec, so that
// no command inherits what this program was started with: a script's lock file, a folder
// that an editor has open. What is opened later is marked by package os.
var keepDescriptors = sync.OnceFunc(func() {
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
