package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"agent/internal/disk"
	"agent/internal/history"
	"agent/internal/rawjson"

	"github.com/gofrs/flock"
)

// Log is the open log of one session and its only writer. Its methods are safe
// for concurrent use.
type Log struct {
	id, path string
	now      func() time.Time
	lock     *flock.Flock

	mu       sync.Mutex
	out      file
	seq      uint64
	timeline timeline
	// spoken says that there is an entry; a log without one is not kept.
	spoken bool
	// unsaved are the lines that could not be written yet, in order.
	unsaved [][]byte
	// size is the length of the file up to the end of what is known to be whole;
	// torn says that more may follow it.
	size    int64
	torn    bool
	secrets [][]byte
}

// file is what a Log needs of the file it appends to.
type file interface {
	Write(data []byte) (int, error)
	Sync() error
	Truncate(size int64) error
	Close() error
}

// UnsavedError says that the session goes on without being recorded. The records
// are kept in memory and written with the next one.
type UnsavedError struct {
	Path string
	// Records is how many wait.
	Records int
	Err     error
}

func (e *UnsavedError) Error() string {
	return fmt.Sprintf("the session is not saved to %s: %v; what is missing there (%d so far) waits in memory and is written with the next record", e.Path, disk.Reason(e.Err), e.Records)
}

// Unwrap returns the cause.
func (e *UnsavedError) Unwrap() error { return e.Err }

// ID is the session's name.
func (l *Log) ID() string { return l.id }

// Path is the log file.
func (l *Log) Path() string { return l.path }

// Hide keeps secret out of everything recorded from now on, should a command
// print it or a file contain it. Short strings are refused, for they would be
// found everywhere.
func (l *Log) Hide(secret string) {
	const shortest = 8
	if len(secret) < shortest {
		return
	}
	quoted, err := rawjson.Marshal(secret)
	if err != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.secrets = append(l.secrets, quoted[1:len(quoted)-1])
}

// Observe records a mutation of the history; it is the history's observer (D-24).
// It returns when the record is on disk. After an *UnsavedError the record waits.
func (l *Log) Observe(m history.Mutation) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spoken = l.spoken || m.Kind == history.MutationAdded
	c, err := l.timeline.describe(l.seq+1, m)
	if err != nil {
		return err
	}
	return l.append(c.kind, c.payload)
}

// Todo records the todo list after a change.
func (l *Log) Todo(todos json.RawMessage) error { return l.record(TypeTodo, todos) }

// Setting records a setting changed in the session; an empty value unsets it.
func (l *Log) Setting(key, value string) error {
	return l.record(TypeSetting, settingPayload{key, value})
}

// Notice records something the user was told.
func (l *Log) Notice(text string) error { return l.record(TypeNotice, noticePayload{text}) }

func (l *Log) record(kind Type, payload any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.append(kind, payload)
}

// append numbers a record and writes it after those that wait.
func (l *Log) append(kind Type, payload any) error {
	l.seq++
	line, err := encode(l.seq, l.now(), kind, payload)
	if err != nil {
		return err
	}
	for _, secret := range l.secrets {
		line = bytes.ReplaceAll(line, secret, []byte("[secret]"))
	}
	l.unsaved = append(l.unsaved, line)
	return l.flush()
}

// flush writes what waits and forces it to disk. When that fails it takes back
// what was written in part; if even that fails, the next write begins on a line
// of its own, so that the part is one broken line and spoils no other.
func (l *Log) flush() error {
	if len(l.unsaved) == 0 {
		return nil
	}
	data := bytes.Join(l.unsaved, nil)
	if l.torn {
		data = append([]byte("\n"), data...)
	}
	n, err := l.out.Write(data)
	if err == nil {
		err = l.out.Sync()
	}
	if err != nil {
		if l.out.Truncate(l.size) != nil {
			l.size += int64(n)
			l.torn = l.torn || n > 0
		}
		return &UnsavedError{Path: l.path, Records: len(l.unsaved), Err: err}
	}
	l.size += int64(len(data))
	l.unsaved, l.torn = nil, false
	return nil
}

// Close writes what waits and lets others open the session. A session in which
// nothing was said leaves no file.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.flush()
	if !l.spoken {
		err = os.Remove(l.path)
	}
	return errors.Join(err, l.out.Close(), l.lock.Close())
}
