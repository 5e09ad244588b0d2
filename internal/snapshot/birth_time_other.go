//go:build !linux

package snapshot

import "time"

// bornAt returns the time of a file's last change: this system does not tell when a file
// was created.
func bornAt(abs string) time.Time {
	at, ok := stampOf(abs)
	if !ok {
		return time.Time{}
	}
	return time.Unix(0, at.changed)
}
