//go:build unix

package fsutil

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

// If a disk does not support locks, the error states it and the next step.
func TestUnlocked(t *testing.T) {
	t.Parallel()
	for err, says := range map[error]bool{
		syscall.ENOLCK: true, &fs.PathError{Op: "flock", Path: "x", Err: syscall.ENOSYS}: true, syscall.EOPNOTSUPP: true, syscall.EACCES: false,
	} {
		got := ExplainLockError(err, "XDG_X")
		if strings.Contains(got.Error(), "Set XDG_X to a folder on a local disk") != says || !errors.Is(got, Reason(err)) {
			t.Errorf("%v: %v", err, got)
		}
	}
}

func TestIsFull(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]bool{syscall.ENOSPC: true, syscall.EDQUOT: true, syscall.EIO: false, fs.ErrPermission: false} {
		if got := IsDiskFull(fmt.Errorf("saving: %w", &fs.PathError{Op: "write", Path: "f", Err: err})); got != want {
			t.Errorf("IsFull(%v) = %v", err, got)
		}
	}
	if IsDiskFull(nil) {
		t.Error("no error is a full disk")
	}
}
