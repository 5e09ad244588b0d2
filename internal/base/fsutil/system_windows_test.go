package fsutil

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

func TestErrorsOfWindows(t *testing.T) {
	t.Parallel()
	for err, full := range map[error]bool{windows.ERROR_DISK_FULL: true, windows.ERROR_HANDLE_DISK_FULL: true, windows.ERROR_ACCESS_DENIED: false} {
		if got := IsDiskFull(fmt.Errorf("saving: %w", &fs.PathError{Op: "write", Path: "f", Err: err})); got != full {
			t.Errorf("IsDiskFull(%v) = %v", err, got)
		}
	}
	if got := ExplainLockError(windows.ERROR_NOT_SUPPORTED, "XDG_X"); !strings.Contains(got.Error(), "Set XDG_X to a folder on a local disk") {
		t.Error(got)
	}
	if !IsConnectionRefused(windows.WSAECONNREFUSED) || !IsBrokenPipe(windows.ERROR_NO_DATA) {
		t.Error("a refused connection or a closed pipe is not known")
	}
}

// The program waits for a file that another program has open. The error names the file.
func TestPatiently(t *testing.T) {
	t.Parallel()
	tries := 0
	err := RetryWhileInUse(func() error {
		if tries++; tries < 3 {
			return windows.ERROR_SHARING_VIOLATION
		}
		return nil
	})
	if err != nil || tries != 3 {
		t.Errorf("%v after %d tries", err, tries)
	}
	begun := time.Now()
	err = RetryWhileInUse(func() error { return windows.ERROR_SHARING_VIOLATION })
	if !errors.Is(err, windows.ERROR_SHARING_VIOLATION) || !strings.Contains(err.Error(), "another program has the file open") || time.Since(begun) < 2*time.Second {
		t.Errorf("%v after %v", err, time.Since(begun))
	}
}

// A locked file stays readable, and a second lock is refused.
func TestFileLockKeepsTheFileReadable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	one, two := NewFileLock(path), NewFileLock(path)
	if locked, err := one.TryLock(); !locked || err != nil {
		t.Fatal(locked, err)
	}
	if locked, err := two.TryRLock(); locked || err != nil {
		t.Errorf("a second lock: %v, %v", locked, err)
	}
	if data, err := os.ReadFile(path); string(data) != "text" {
		t.Errorf("%q, %v", data, err)
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	if locked, err := two.TryRLock(); !locked || err != nil {
		t.Errorf("after the first: %v, %v", locked, err)
	}
	if err := two.Close(); err != nil {
		t.Error(err)
	}
}

func TestWithinOnWindows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, folder string
		want         bool
	}{
		{`C:\a\b`, `C:\a`, true},
		{`c:\A\b`, `C:\a`, true},
		{`C:\ab`, `C:\a`, false},
		{`C:\a`, `C:\`, true},
		{`C:\a/b`, `C:\a`, true},
		{`C:/a/b`, `c:\A`, true},
		{`C:\é\b`, `C:/É`, true},
		{`C:\é\b`, `C:/e`, false},
		{"", `\`, false},
		{`D:\a`, `C:\a`, false},
		{`\\s\h\f`, `\\S\h`, true},
	} {
		if got := Within(c.path, c.folder); got != c.want {
			t.Errorf("Within(%q, %q) = %v", c.path, c.folder, got)
		}
	}
}

// Other programs can truncate, rename and remove a log that is open for appending, as on Unix.
func TestAnOpenFileCanBeChanged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	log, err := OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o600)
	must(t, err)
	_, err = log.WriteString("one two")
	must(t, err)
	must(t, Truncate(log, 3))
	_, err = log.WriteString(" three")
	must(t, err)
	must(t, os.Rename(path, path+".old"))
	if got := read(t, path+".old"); got != "one three" {
		t.Errorf("%q", got)
	}
	must(t, os.Remove(path+".old"))
	must(t, log.Close())
	if _, err := OpenFile(filepath.Dir(path), os.O_WRONLY, 0); !errors.Is(err, syscall.EISDIR) {
		t.Errorf("a folder was opened for writing: %v", err)
	}
}

// A read waits until another program closes a file that it opened exclusively.
func TestReadWaitsForAnExclusiveFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	must(t, os.WriteFile(path, []byte("x"), 0o600))
	name, err := windows.UTF16PtrFromString(path)
	must(t, err)
	own, err := windows.CreateFile(name, windows.GENERIC_READ, 0, nil, windows.OPEN_EXISTING, 0, 0)
	must(t, err)
	got := make(chan error)
	go func() {
		_, err := Read(path)
		got <- err
	}()
	select {
	case err := <-got:
		t.Errorf("it was read meanwhile: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	must(t, windows.CloseHandle(own))
	must(t, <-got)
}
