package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"agent/internal/disk"
	"agent/internal/words"
)

// Other programs can take the file of a log away while it is written: remove it or the
// folder it is in, put something else in its place, or cut it. What was recorded is still
// in the file that is open, so that it is written anew (reliability review 2, F6).

// keep looks, before records are written, whether the file is still the one at the path,
// and else makes it again with what it held.
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
		l.taken = fmt.Sprintf("another program has cut %s: %s of this session's record are lost; what comes now is recorded there", l.path, words.Bytes(lost))
		l.disk.size, l.disk.torn = info.Size(), info.Size() > 0
	}
	there, err := os.Lstat(l.path)
	if err == nil && os.SameFile(there, info) {
		return nil
	}
	return l.again(own, err == nil)
}

// again makes the log again at its path, or beside it when something else is there.
func (l *Log) again(own *os.File, occupied bool) error {
	path := l.path
	for n := 1; occupied; n++ {
		path = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(l.path, extension), n, extension)
		_, err := os.Lstat(path)
		occupied = err == nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.NewSectionReader(own, 0, l.disk.size))
	if err == nil {
		err = errors.Join(out.Sync(), disk.SyncFolder(filepath.Dir(path)))
	}
	if err == nil {
		err = l.lockAgain(path)
	}
	if err != nil {
		return errors.Join(err, out.Close(), os.Remove(path))
	}
	_ = own.Close()
	l.disk.out = out
	what := "the file of this session's record was removed by another program"
	if path != l.path {
		what = "something else was put in the place of this session's record"
	}
	l.taken = fmt.Sprintf("%s; the whole record is written again, to %s", what, path)
	l.path = path
	return nil
}

// lockAgain holds the new file in the place of the old one.
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

// Taken says, once, that another program took the record away and what became of it; empty
// when nothing was.
func (l *Log) Taken() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer func() { l.taken = "" }()
	return l.taken
}
