package session

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"agent/internal/disk"
	"agent/internal/words"

	"github.com/gofrs/flock"
)

// writer brings the lines of a log to disk, in order, each whole and exactly once.
// Lines that cannot be written wait in memory and go out, before any other, when
// there is room.
type writer struct {
	// open opens the file: a session in which nothing is said needs none.
	open func() (file, error)
	// keep finds out whether the file is still where it was, and makes it again if not.
	keep func() error
	lock *flock.Flock
	out  file
	// left says that a file of ours is there, made by a try that failed.
	left bool
	// wanted says that there is an entry; a log without one is not kept.
	wanted  bool
	waiting [][]byte
	// err is why the lines wait, nil when the latest try went well.
	err error
	// size is the length of the file up to the end of what is known to be whole;
	// torn says that more may follow it.
	size int64
	torn bool
}

// file is what a writer needs of the file it appends to.
type file interface {
	Write(data []byte) (int, error)
	Sync() error
	Truncate(size int64) error
	Close() error
}

// UnsavedError says that records are not on disk. Until the log is closed they are
// kept in memory and written with the next one.
type UnsavedError struct {
	Path string
	// Records is how many wait.
	Records int
	Err     error
}

func (e *UnsavedError) Error() string {
	return fmt.Sprintf("the session is not saved to %s: %v (%s)", e.Path, disk.Reason(e.Err), words.Count(e.Records, "record"))
}

// Unwrap returns the cause.
func (e *UnsavedError) Unwrap() error { return e.Err }

// append writes a line after those that wait.
func (w *writer) append(line []byte) {
	w.waiting = append(w.waiting, line)
	w.flush()
}

func (w *writer) flush() {
	if w.wanted && len(w.waiting) > 0 {
		w.err = w.write()
	}
}

// write writes what waits and forces it to disk. When that fails it takes back
// what was written in part; if even that fails, the next write begins on a line
// of its own, so that the part is one broken line and spoils no other.
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
		if w.out.Truncate(w.size) != nil {
			w.size += int64(n)
			w.torn = w.torn || n > 0
		}
		return err
	}
	w.size += int64(len(data))
	w.waiting, w.torn = nil, false
	return nil
}

// close removes the file when nothing is in it that anybody said.
func (w *writer) close(path string) error {
	var errs []error
	if w.out != nil {
		if !w.wanted || w.size == 0 {
			errs = append(errs, os.Remove(path))
		}
		errs = append(errs, w.out.Close())
	}
	if w.lock != nil {
		errs = append(errs, w.lock.Close())
	}
	return errors.Join(errs...)
}
