//go:build !linux

package snapshot

import "time"

// bornAt returns the time of a file's last change, because this system does not report the creation
// time.
func bornAt(abs string) time.Time {
	at, ok := stampOf(abs)
	if !ok {
		return time.Time{}
	}
	return time.Unix(0, at.changed)
}
