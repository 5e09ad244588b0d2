//go:build unix

package tools

import "syscall"

// peakMemory is the most memory that this process has had, in KiB.
func peakMemory() int64 {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return int64(used.Maxrss)
}
