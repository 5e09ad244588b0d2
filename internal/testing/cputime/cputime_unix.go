//go:build unix

// Package cputime measures the CPU time of a test, which does not depend on how busy the machine is.
package cputime

import (
	"syscall"
	"testing"
	"time"
)

// Used returns the CPU time that this process has used.
func Used(t testing.TB) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
