// Package spent tells what a test costs, however busy the machine is.
package spent

import (
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

// CPU returns how long this process has had a processor.
func CPU(t testing.TB) time.Duration {
	t.Helper()
	var made, ended, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &made, &ended, &kernel, &user); err != nil {
		t.Fatal(err)
	}
	ticks := func(f windows.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) }
	return time.Duration(100 * (ticks(kernel) + ticks(user)))
}
