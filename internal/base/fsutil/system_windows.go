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

// NoWait is the flag of an open call that does not wait for the other end of a pipe. Pipes have no
// paths in folders here, and the value that package syscall has for it means something else to
// os.Root.
const NoWait = 0

const onlyFolder = 0

// OtherWriters returns "": who may change a file is not in its FileInfo here, and a profile's folders
// belong to their user alone.
func OtherWriters(fs.FileInfo) string { return "" }

// WritersBeside returns "", for the same reasons.
func WritersBeside(fs.FileInfo, int) string { return "" }

// OwnedByUser returns true, for the same reasons.
func OwnedByUser(fs.FileInfo) bool { return true }

// Links returns 1: the number of names of a file is not in its FileInfo here.
func Links(fs.FileInfo) uint64 { return 1 }

// Identity returns a text that distinguishes a file or folder from another at the same path: its
// number on the file system and the time of its creation. It returns "" if there is no such file.
func Identity(path string) string {
	facts, created, ok := look(path)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d %d", facts.Number, created)
}

// Look describes a file or folder; ok is false for a missing one. It does not follow a link.
func Look(path string) (facts Facts, ok bool) {
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

// modeOf returns the mode that a file with these attributes would have on Unix.
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

// A Looker describes the files of one folder after the other.
type Looker struct{}

// Look describes a file of a folder as the function Look does.
func (*Looker) Look(folder, name string) (Facts, bool) { return Look(filepath.Join(folder, name)) }

// Close does nothing here.
func (*Looker) Close() {}

// Within reports whether a clean path is folder or below it. It compares the names alone, whatever
// their case. Both may be written with either slash.
func Within(path, folder string) bool {
	folder = strings.TrimRight(folder, `\/`)
	if path == "" || len(path) < len(folder) || !sameButCase(path[:len(folder)], folder) {
		return false
	}
	return len(path) == len(folder) || os.IsPathSeparator(path[len(folder)])
}

// sameButCase reports whether two paths of one length differ in case and slashes alone.
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

// A FileLock locks a file that stays readable while it is locked. Locks are mandatory here, so it
// locks a byte far behind the end of any file. It is safe for parallel use.
type FileLock struct {
	path string
	mu   sync.Mutex
	file *os.File
}

// NewFileLock returns a lock on a file, which must exist.
func NewFileLock(path string) *FileLock { return &FileLock{path: path} }

// TryLock locks the file for this lock alone, and reports false if another lock holds it.
func (l *FileLock) TryLock() (bool, error) { return l.try(windows.LOCKFILE_EXCLUSIVE_LOCK) }

// TryRLock locks the file together with others that do the same.
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

// TryLockContext tries to lock the file again and again until ctx ends.
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

// newFolderLock returns a lock on a folder: on a file in the temporary folder that the path of
// the folder names, since folders have no locks here.
func newFolderLock(folder string) *flock.Flock {
	sum := sha256.Sum256([]byte(strings.ToLower(folder)))
	return flock.New(filepath.Join(os.TempDir(), fmt.Sprintf("agent-lock-%x", sum[:8])))
}

// farAway is the offset of the byte that a FileLock locks.
func farAway() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 0x40000000} }

// rename renames a file in a folder, over another if there is one.
func rename(root *os.Root, from, to string) error {
	return RetryWhileInUse(func() error { return root.Rename(from, to) })
}

// RetryWhileInUse repeats an action on a file that another program has open, for two seconds: scanners
// and indexers open every new file for a moment.
func RetryWhileInUse(act func() error) error {
	err := patiently(InUse, act)
	if InUse(err) {
		return fmt.Errorf("another program has it open; close it there and try again: %w", Reason(err))
	}
	return err
}

// InUse reports whether an error means that another program has a file open.
func InUse(err error) bool {
	for _, busy := range []error{windows.ERROR_SHARING_VIOLATION, windows.ERROR_ACCESS_DENIED, windows.ERROR_LOCK_VIOLATION, windows.ERROR_USER_MAPPED_FILE} {
		if errors.Is(err, busy) {
			return true
		}
	}
	return false
}

// SyncFolder does nothing: the system flushes the names in a folder by itself, and offers no call
// for it.
func SyncFolder(string) error { return nil }

// ExplainLockError explains why a file could not be locked. If the disk supports no locks at all, as some
// network disks do, the error says so and names the environment variable that selects a folder
// elsewhere.
func ExplainLockError(err error, variable string) error {
	if errors.Is(err, windows.ERROR_NOT_SUPPORTED) || errors.Is(err, windows.ERROR_INVALID_FUNCTION) {
		return fmt.Errorf("its disk gives no locks (%w), as some network disks; set %s to a folder on a local disk", Reason(err), variable)
	}
	return err
}

// IsFull reports whether an error means that a disk, or a user's share of the disk, is full.
func IsFull(err error) bool {
	for _, full := range []error{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED} {
		if errors.Is(err, full) {
			return true
		}
	}
	return false
}

// IsRefused reports whether an error means that nothing listens at an address.
func IsRefused(err error) bool { return errors.Is(err, windows.WSAECONNREFUSED) }

// IsGone reports whether an error means that the reader of a pipe has gone.
func IsGone(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}
