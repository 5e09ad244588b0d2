//go:build !linux

package survey

import (
	"time"

	"golang.org/x/sys/unix"
)

// now is the time by the clock that the times of files are taken from.
func now() unix.Timespec { return unix.NsecToTimespec(time.Now().UnixNano()) }
