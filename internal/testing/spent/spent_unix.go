//go:build unix

// Package spent tells what a test costs, however busy the machine is.
package spent

import (
	"syscall"
	"testing"
	"time"
)

// CPU returns how long this process has had a processor.
func CPU(t testing.TB) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
