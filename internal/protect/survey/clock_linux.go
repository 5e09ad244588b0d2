package survey

import "golang.org/x/sys/unix"

// now is the time by the clock that the times of files are taken from, which advances in
// steps of milliseconds. Where there is none nothing was before it.
func now() unix.Timespec {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &now)
	return now
}
