package sandbox

import (
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

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
