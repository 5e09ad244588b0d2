//go:build unix

// Package fifo makes named pipes for tests of code that must not block on them.
package fifo

import (
	"syscall"
	"testing"
)

// Make makes a named pipe at a path.
func Make(_ testing.TB, path string) error { return syscall.Mkfifo(path, 0o600) }
