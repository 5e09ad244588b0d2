package session

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
)

// writer writes the lines of a log to disk, in order, each completely and exactly once. Lines that cannot
// be written wait in memory. They are written first once there is space again.
type writer struct {
	// open opens the file when the first line is written. A session without an entry has no file.
	open func() (file, error)
	// keep checks that the file still exists at its path, and creates it again if not.
	keep func() error
	lock *fsutil.FileLock
	out  file
	// left is set if a failed attempt left a file of this program.
	left bool
	// wanted is set once there is an entry. A log without an entry is not stored.
	wanted  bool
	waiting [][]byte
	// err is the error of the latest attempt, or nil if it succeeded.
	err error
	// size is the length of the file up to the end of its last complete line.
	size int64
	// torn is set if a part of a line may follow after size.
	torn bool
}

// file is the file that a writer appends to.
type file interface {
	Write(data []byte) (int, error)
	Sync() error
	Truncate(size int64) error
	Close() error
}

// UnsavedError means that records are not on disk. Until the log is closed, they are kept in memory, and
// written with the next record.
type UnsavedError struct {
	Path string
	// Records is the number of waiting records.
	Records int
	Err     error
}

func (e *UnsavedError) Error() string {
	return fmt.Sprintf("the session is not saved to %s: %v (%s)", e.Path, fsutil.Reason(e.Err), humanize.Count(e.Records, "record"))
}

// Unwrap returns the cause.
func (e *UnsavedError) Unwrap() error { return e.Err }

func (w *writer) append(line []byte) {
	w.waiting = append(w.waiting, line)
	w.flush()
}

func (w *writer) flush() {
	if w.wanted && len(w.waiting) > 0 {
		w.err = w.write()
	}
}

// write writes the waiting lines and flushes them to disk. After an error it removes a line that was
// written in part. If that fails too, the next write begins with a line break. Then the part is a separate
// damaged line and does not affect other lines.
func (w *writer) write() error {
	if w.out == nil {
		out, err := w.open()
		if err != nil {
			return err
		}
		w.out = out
	} else if err := w.keep(); err != nil {
		return err
	}
	data := bytes.Join(w.waiting, nil)
	if w.torn {
		data = append([]byte("\n"), data...)
	}
	n, err := w.out.Write(data)
	if err == nil {
		err = w.out.Sync()
	}
	if err != nil {
		if truncate(w.out, w.size) != nil {
			w.size += int64(n)
			w.torn = w.torn || n > 0
		}
		return err
	}
	w.size += int64(len(data))
	w.waiting, w.torn = nil, false
	return nil
}

// truncate truncates a file, which may be open for appending only.
func truncate(out file, size int64) error {
	if f, ok := out.(*os.File); ok {
		return fsutil.Truncate(f, size)
	}
	return out.Truncate(size)
}

// close closes the file and releases the lock. It removes a file without an entry.
func (w *writer) close(path string) error {
	var errs []error
	if w.out != nil {
		errs = append(errs, w.out.Close())
		if !w.wanted || w.size == 0 {
			errs = append(errs, os.Remove(path))
		}
	} else if w.left {
		errs = append(errs, os.Remove(path))
	}
	if w.lock != nil {
		errs = append(errs, w.lock.Close())
	}
	return errors.Join(errs...)
}
