//go:build unix

package tools

import "syscall"

// peakMemory returns the peak memory of this process in KiB.
func peakMemory() int64 {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return int64(used.Maxrss)
}
