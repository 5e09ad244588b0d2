package fsutil

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// OpenFile opens a file like os.OpenFile, but lets other programs replace, rename and remove the
// open file. If another program has opened the file exclusively, OpenFile retries for two seconds.
// It ignores the flag os.O_TRUNC.
func OpenFile(path string, flag int, mode fs.FileMode) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	writes := flag&(os.O_WRONLY|os.O_RDWR) != 0
	attributes := uint32(windows.FILE_ATTRIBUTE_NORMAL)
	switch {
	case !writes:
		attributes = windows.FILE_FLAG_BACKUP_SEMANTICS // opens folders, too
	case flag&os.O_CREATE != 0 && mode&0o200 == 0:
		attributes = windows.FILE_ATTRIBUTE_READONLY
	}
	var file windows.Handle
	err = patiently(isShut, func() (err error) {
		file, err = windows.CreateFile(name, accessOf(flag), shared, nil, dispositionOf(flag), attributes, 0)
		return err
	})
	if errors.Is(err, windows.ERROR_ACCESS_DENIED) && writes {
		if info, looking := os.Stat(path); looking == nil && info.IsDir() {
			err = syscall.EISDIR
		}
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(file), path), nil
}

// Truncate shortens a file to size bytes. The file may be open for appending only. Such a handle
// has no right to truncate on Windows, so Truncate opens the file again.
func Truncate(f *os.File, size int64) error {
	again, err := reopen(f, windows.FILE_GENERIC_WRITE, shared)
	if err != nil {
		return err
	}
	return errors.Join(again.Truncate(size), again.Close())
}

// ReopenReadOnly opens an open file again so that no program can open it for writing. While a
// program has it open for writing, ReopenReadOnly retries for up to two seconds.
func ReopenReadOnly(f *os.File) (shut *os.File, err error) {
	err = patiently(isShut, func() error {
		shut, err = reopen(f, windows.GENERIC_READ, windows.FILE_SHARE_READ|windows.FILE_SHARE_DELETE)
		return err
	})
	return shut, err
}

func reopen(f *os.File, access, share uintptr) (*os.File, error) {
	again, _, err := reopenFile.Call(f.Fd(), access, share, 0)
	if windows.Handle(again) == windows.InvalidHandle {
		return nil, &fs.PathError{Op: "open", Path: f.Name(), Err: err}
	}
	return os.NewFile(again, f.Name()), nil
}

var reopenFile = windows.NewLazySystemDLL("kernel32.dll").NewProc("ReOpenFile")

// shared grants other programs the operations on an open file that Unix always allows.
const shared = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE

func accessOf(flag int) uint32 {
	const write = windows.FILE_GENERIC_WRITE
	access := uint32(windows.GENERIC_READ)
	switch {
	case flag&os.O_WRONLY != 0:
		access = write
	case flag&os.O_RDWR != 0:
		access |= write
	}
	if flag&os.O_APPEND != 0 {
		access &^= windows.FILE_WRITE_DATA // Windows then appends each write
	}
	return access
}

func dispositionOf(flag int) uint32 {
	switch {
	case flag&os.O_CREATE != 0 && flag&os.O_EXCL != 0:
		return windows.CREATE_NEW
	case flag&os.O_CREATE != 0:
		return windows.OPEN_ALWAYS
	}
	return windows.OPEN_EXISTING
}

// isShut reports whether an error means that another program has opened the file exclusively.
func isShut(err error) bool { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }

// patiently repeats act for up to two seconds, while busy returns true for its error.
func patiently(busy func(error) bool, act func() error) error {
	const patience, pause = 2 * time.Second, 20 * time.Millisecond
	for begun := time.Now(); ; time.Sleep(pause) {
		if err := act(); !busy(err) || time.Since(begun) > patience {
			return err
		}
	}
}
