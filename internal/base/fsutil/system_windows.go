package fsutil

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/gofrs/flock"
	"golang.org/x/sys/windows"
)

// NoWait is the flag of an open call that does not wait for the other end of a pipe. It is 0,
// because pipes have no paths in folders on Windows. The value that package syscall defines has
// another meaning in os.Root.
const NoWait = 0

const onlyFolder = 0

// OtherWriters returns "". On Windows, FileInfo does not contain who may change a file, and the
// folders of a profile belong to their user alone.
func OtherWriters(fs.FileInfo) string { return "" }

// WritableByOthers returns "". FileInfo does not contain the owner and permissions on Windows.
func WritableByOthers(fs.FileInfo, int) string { return "" }

// OwnedByUser returns true. FileInfo does not contain the owner on Windows.
func OwnedByUser(fs.FileInfo) bool { return true }

// Links returns 1. FileInfo does not contain the number of hard links on Windows.
func Links(fs.FileInfo) uint64 { return 1 }

// Identity returns a text that distinguishes a file or folder from another one at the same path:
// its file number and its creation time. It returns "" if there is no such file.
func Identity(path string) string {
	facts, created, ok := look(path)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d %d", facts.Number, created)
}

// Lstat returns the metadata of a file or folder; ok is false for a missing one. It does not follow
// a link.
func Lstat(path string) (facts Facts, ok bool) {
	facts, _, ok = look(path)
	return facts, ok
}

func look(path string) (facts Facts, created int64, ok bool) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return Facts{}, 0, false
	}
	h, err := windows.CreateFile(name, windows.FILE_READ_ATTRIBUTES, shared, nil, windows.OPEN_EXISTING,
		windows.FILE_FLAG_BACKUP_SEMANTICS|windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if err != nil {
		return Facts{}, 0, false
	}
	defer windows.CloseHandle(h)
	var info windows.ByHandleFileInformation
	if windows.GetFileInformationByHandle(h, &info) != nil {
		return Facts{}, 0, false
	}
	// basic is FILE_BASIC_INFO.
	var basic struct {
		created, read, written, changed int64
		attributes                      uint32
	}
	changed := info.LastWriteTime.Nanoseconds()
	if windows.GetFileInformationByHandleEx(h, windows.FileBasicInfo, (*byte)(unsafe.Pointer(&basic)), uint32(unsafe.Sizeof(basic))) == nil {
		moment := windows.Filetime{LowDateTime: uint32(basic.changed), HighDateTime: uint32(basic.changed >> 32)}
		changed = moment.Nanoseconds()
	}
	return Facts{
		Device: uint64(info.VolumeSerialNumber), Number: uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow),
		Size: int64(info.FileSizeHigh)<<32 | int64(info.FileSizeLow), Mode: modeOf(info.FileAttributes),
		Written: info.LastWriteTime.Nanoseconds(), Changed: changed,
	}, info.CreationTime.Nanoseconds(), true
}

// modeOf returns the Unix mode that corresponds to these attributes.
func modeOf(attributes uint32) uint32 {
	switch {
	case attributes&windows.FILE_ATTRIBUTE_REPARSE_POINT != 0:
		return 0o120777
	case attributes&windows.FILE_ATTRIBUTE_DIRECTORY != 0:
		return folderBits | 0o777
	case attributes&windows.FILE_ATTRIBUTE_READONLY != 0:
		return 0o100444
	}
	return 0o100666
}

// Within reports whether a clean path is folder or below it. It compares only the names and ignores
// their case. Both paths may contain either kind of slash.
func Within(path, folder string) bool {
	folder = strings.TrimRight(folder, `\/`)
	if path == "" || len(path) < len(folder) || !sameButCase(path[:len(folder)], folder) {
		return false
	}
	return len(path) == len(folder) || os.IsPathSeparator(path[len(folder)])
}

// sameButCase reports whether two paths of the same length differ only in case and kind of slash.
func sameButCase(a, b string) bool {
	for i := range len(a) {
		switch {
		case a[i] >= utf8.RuneSelf || b[i] >= utf8.RuneSelf:
			return strings.EqualFold(filepath.FromSlash(a[i:]), filepath.FromSlash(b[i:]))
		case lower(a[i]) != lower(b[i]) && !(os.IsPathSeparator(a[i]) && os.IsPathSeparator(b[i])):
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// A FileLock locks a file that other programs can still read. Locks are mandatory on Windows, so
// FileLock locks a byte far after the end of the file. It is safe for concurrent use.
type FileLock struct {
	path string
	mu   sync.Mutex
	file *os.File
}

// NewFileLock returns a lock on a file, which must exist.
func NewFileLock(path string) *FileLock { return &FileLock{path: path} }

// TryLock acquires an exclusive lock. It returns false if another lock is held on the file.
func (l *FileLock) TryLock() (bool, error) { return l.try(windows.LOCKFILE_EXCLUSIVE_LOCK) }

// TryRLock acquires a shared lock.
func (l *FileLock) TryRLock() (bool, error) { return l.try(0) }

func (l *FileLock) try(flags uint32) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		return true, nil
	}
	file, err := Open(l.path)
	if err != nil {
		return false, err
	}
	err = windows.LockFileEx(windows.Handle(file.Fd()), flags|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, farAway())
	if err != nil {
		file.Close()
		if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
			return false, nil
		}
		return false, err
	}
	l.file = file
	return true, nil
}

// TryLockContext retries TryLock with the given pause until it succeeds or ctx ends.
func (l *FileLock) TryLockContext(ctx context.Context, pause time.Duration) (bool, error) {
	for {
		if locked, err := l.TryLock(); locked || err != nil {
			return locked, err
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// Close releases the lock.
func (l *FileLock) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	_ = windows.UnlockFileEx(windows.Handle(l.file.Fd()), 0, 1, 0, farAway())
	err := l.file.Close()
	l.file = nil
	return err
}

// newFolderLock returns a lock for a folder. It is a file in the temporary folder with a name
// derived from the path, since folders have no locks on Windows.
func newFolderLock(folder string) *flock.Flock {
	sum := sha256.Sum256([]byte(strings.ToLower(folder)))
	return flock.New(filepath.Join(os.TempDir(), fmt.Sprintf("agent-lock-%x", sum[:8])))
}

// farAway is the offset of the byte that a FileLock locks.
func farAway() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 0x40000000} }

// rename renames a file in a folder. It replaces an existing file with the new name.
func rename(root *os.Root, from, to string) error {
	return RetryWhileInUse(func() error { return root.Rename(from, to) })
}

// RetryWhileInUse retries act for up to two seconds while another program has the file open. Virus
// scanners and indexers open every new file for a short time.
func RetryWhileInUse(act func() error) error {
	err := patiently(IsInUse, act)
	if IsInUse(err) {
		return fmt.Errorf("another program has the file open; close the file there and try again: %w", Reason(err))
	}
	return err
}

// IsInUse reports whether an error means that another program has a file open.
func IsInUse(err error) bool {
	for _, busy := range []error{windows.ERROR_SHARING_VIOLATION, windows.ERROR_ACCESS_DENIED, windows.ERROR_LOCK_VIOLATION, windows.ERROR_USER_MAPPED_FILE} {
		if errors.Is(err, busy) {
			return true
		}
	}
	return false
}

// SyncFolder does nothing. Windows flushes the names in a folder by itself, and has no call for it.
func SyncFolder(string) error { return nil }

// ExplainLockError explains why a file could not be locked. If the disk supports no locks, as with
// some network disks, the error states this and names the environment variable that selects another
// folder.
func ExplainLockError(err error, variable string) error {
	if errors.Is(err, windows.ERROR_NOT_SUPPORTED) || errors.Is(err, windows.ERROR_INVALID_FUNCTION) {
		return fmt.Errorf("its disk does not support file locks (%w); it may be a network disk. Set %s to a folder on a local disk", Reason(err), variable)
	}
	return err
}

// IsDiskFull reports whether an error means that a disk, or a user's share of the disk, is full.
func IsDiskFull(err error) bool {
	for _, full := range []error{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED} {
		if errors.Is(err, full) {
			return true
		}
	}
	return false
}

// IsConnectionRefused reports whether an error means that no program listens at an address.
func IsConnectionRefused(err error) bool { return errors.Is(err, windows.WSAECONNREFUSED) }

// IsBrokenPipe reports whether an error means that the reader of a pipe has closed it.
func IsBrokenPipe(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}
