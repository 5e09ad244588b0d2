// Package cputime measures the CPU time of a test, which does not depend on how busy the machine is.
package cputime

import (
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

// Used returns the CPU time that this process has used.
func Used(t testing.TB) time.Duration {
	t.Helper()
	var made, ended, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &made, &ended, &kernel, &user); err != nil {
		t.Fatal(err)
	}
	ticks := func(f windows.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) }
	return time.Duration(100 * (ticks(kernel) + ticks(user)))
}
