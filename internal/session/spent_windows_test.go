package session

import (
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

// spent is what this process has had of the processor.
func spent(t *testing.T) time.Duration {
	t.Helper()
	var made, ended, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &made, &ended, &kernel, &user); err != nil {
		t.Fatal(err)
	}
	ticks := func(f windows.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) }
	return time.Duration(100 * (ticks(kernel) + ticks(user)))
}
