//go:build !linux

package snapshot

import "time"

// bornAt is when a file was changed last: when it was made is not asked for here.
func bornAt(abs string) time.Time {
	at, ok := stampOf(abs)
	if !ok {
		return time.Time{}
	}
	return time.Unix(at.changed.Unix())
}
