package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
)

// Another program can interfere with the file of a log while it is written. It can remove the file or its
// folder, replace the file, or truncate it. The records are still in the open file, so they are copied to a
// new file.

// keep checks before each write that the open file is still the file at the path. If it is not, keep copies
// its records to a new file.
func (l *Log) keep() error {
	own, ok := l.disk.out.(*os.File)
	if !ok {
		return nil
	}
	info, err := own.Stat()
	if err != nil {
		return err
	}
	if lost := l.disk.size - info.Size(); lost > 0 {
		l.taken = fmt.Sprintf("another program truncated %s: %s of the session log are lost. Recording continues", l.path, humanize.Bytes(lost))
		l.disk.size, l.disk.torn = info.Size(), info.Size() > 0
	}
	there, err := os.Lstat(l.path)
	if err == nil && os.SameFile(there, info) {
		return nil
	}
	return l.copyLog(own, err == nil)
}

// copyLog copies the log to a new file at its path. If the path is occupied, it uses another name.
func (l *Log) copyLog(own *os.File, occupied bool) error {
	path := l.path
	for n := 1; occupied; n++ {
		path = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(l.path, extension), n, extension)
		_, err := os.Lstat(path)
		occupied = err == nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	out, err := fsutil.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.NewSectionReader(own, 0, l.disk.size))
	if err == nil {
		err = errors.Join(out.Sync(), fsutil.SyncFolder(filepath.Dir(path)))
	}
	if err == nil {
		err = l.lockAgain(path)
	}
	if err != nil {
		return errors.Join(err, out.Close(), os.Remove(path))
	}
	_ = own.Close()
	l.disk.out = out
	what := "another program deleted the session log"
	if path != l.path {
		what = "another program replaced the session log"
	}
	l.taken = fmt.Sprintf("%s; the full log was written again to %s", what, path)
	l.path = path
	return nil
}

// lockAgain locks the new file and releases the lock of the old file.
func (l *Log) lockAgain(path string) error {
	lock, err := acquire(path)
	if err != nil {
		return err
	}
	if l.disk.lock != nil {
		_ = l.disk.lock.Close()
	}
	l.disk.lock = lock
	return nil
}

// TakenNotice returns a message, once, after another program has removed or replaced the file. Otherwise it
// returns "".
func (l *Log) TakenNotice() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer func() { l.taken = "" }()
	return l.taken
}
