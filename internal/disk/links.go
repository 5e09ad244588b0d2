package disk

import (
	"io/fs"
	"syscall"
)

// Links is how many names a file has on its disk: 1, or more if it is hard-linked.
func Links(info fs.FileInfo) uint64 {
	if status, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(status.Nlink)
	}
	return 1
}
