// Package fifo makes named pipes for tests of code that must not block on them.
package fifo

import "testing"

// Make skips the test, because pipes have no paths in folders on Windows.
func Make(t testing.TB, _ string) error {
	t.Helper()
	t.Skip("no named pipes in folders on this system")
	return nil
}
