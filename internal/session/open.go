package session

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agent/internal/base/fsutil"
)

// Options configures the log of a session.
type Options struct {
	// Dir is the folder of all sessions.
	Dir string
	// Workspace is the absolute path of the folder in which the session works.
	Workspace string
	Now       func() time.Time
	// Random makes ids unique that are created within the same second.
	Random io.Reader
	// PID is the ID of this process. Another process reads it in the log, to report which process has the
	// session open.
	PID int
	// Branch is the branch that is checked out in the workspace, or "" for none.
	Branch string
	// Unattended is set if there is no user to answer questions, such as in a script.
	Unattended bool
	// Policy is the hash of the policy of the machine, or "" if there is none.
	Policy string
	// ID is the ID of a new session. If it is "", the ID is made from the time and Random.
	ID string
	// Folder is the folder of the log, or "" for the folder of the workspace below Dir.
	Folder string
	// Hidden lists texts that are removed from all records. See Log.Hide.
	Hidden []string
	// Agent describes the subagent whose conversation is recorded. It is nil for a session of a user.
	Agent *Agent
}

// extension is the extension of log files.
const extension = ".jsonl"

// LockedError means that another process has the session open for writing.
type LockedError struct {
	ID    string
	PID   int
	Since time.Time
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("session %[1]s is in use by process %[2]d since %[3]s. To show it here too, run: agent attach %[1]s (on Linux and macOS). To continue in a copy, add --fork", e.ID, e.PID, e.Since.Local().Format("2006-01-02 15:04:05"))
}

// Create starts a session. Its file, readable by its owner only, is created with the first entry, so that a
// session without an entry leaves no file. Create also removes the logs without an entry that killed
// programs left.
func Create(o Options) (*Log, error) {
	folder := cmp.Or(o.Folder, filepath.Join(o.Dir, folderName(o.Workspace)))
	now := o.Now()
	sweep(folder, now)
	var lock *fsutil.FileLock
	id, path := o.ID, filepath.Join(folder, o.ID+extension)
	var err error
	if id == "" {
		id, path, err = unusedID(folder, now, o.Random)
	} else {
		lock, err = reserve(path)
	}
	if err != nil {
		return nil, err
	}
	l := &Log{id: id, path: path, now: o.Now}
	l.hide(o.Hidden)
	l.disk.open, l.disk.keep, l.disk.lock, l.disk.left = l.create, l.keep, lock, lock != nil
	return l, l.record(TypeSession, sessionPayload{ID: id, Workspace: o.Workspace, PID: o.PID, Branch: o.Branch, Unattended: o.Unattended, Policy: o.Policy, Agent: o.Agent, Format: version, Acts: true})
}

// reserve creates and locks the file of a new session with a given id, before its first entry. If two
// programs start a session with the same id, the second gets a *LockedError. The error is fs.ErrExist if
// the session has records by now.
func reserve(path string) (*fsutil.FileLock, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	empty, err := fsutil.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	lock, err := acquire(path)
	if err == nil {
		if info, statErr := empty.Stat(); statErr != nil || info.Size() > 0 {
			err = errors.Join(fs.ErrExist, lock.Close())
		}
	}
	return lock, errors.Join(err, empty.Close())
}

func unusedID(folder string, now time.Time, random io.Reader) (id, path string, err error) {
	for {
		if id, err = newID(now, random); err != nil {
			return "", "", fmt.Errorf("can't record sessions: %w", err)
		}
		path = filepath.Join(folder, id+extension)
		if _, err := os.Lstat(path); err != nil {
			return id, path, nil
		}
	}
}

// create creates the file of a new session and locks it. It reuses a file that an earlier attempt created
// and could not remove.
func (l *Log) create() (file, error) {
	folder := filepath.Dir(l.path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	flags := os.O_CREATE | os.O_EXCL | os.O_RDWR | os.O_APPEND
	if l.disk.left {
		flags &^= os.O_EXCL
	}
	out, err := fsutil.OpenFile(l.path, flags, 0o600)
	if err != nil {
		return nil, err
	}
	lock := l.disk.lock
	if lock == nil {
		lock, err = acquire(l.path)
	}
	if err == nil {
		err = fsutil.SyncFolder(folder)
	}
	if err != nil {
		if lock != nil && l.disk.lock == nil {
			err = errors.Join(err, lock.Close())
		}
		removing := os.Remove(l.path)
		l.disk.left = removing != nil
		return nil, errors.Join(err, out.Close(), removing)
	}
	l.disk.lock = lock
	return out, nil
}

// Resume opens the session at path and returns its state. Damaged lines stay in the file, except for an
// incomplete last line. The history that the log observes from now on must begin with exactly the state's
// Entries. A repair of them is a mutation of that history. Resume works even if the disk is full.
func Resume(path string, o Options) (*Log, State, error) {
	l, state, err := takeUp(path, o)
	if err != nil {
		return nil, State{}, err
	}
	return l, state, l.record(TypeSession, sessionPayload{ID: l.id, Workspace: state.Workspace, PID: o.PID, Resumed: true, Branch: o.Branch, Unattended: o.Unattended, Policy: o.Policy, Format: version, Acts: true})
}

// takeUp opens the session at path without writing a record about it.
func takeUp(path string, o Options) (*Log, State, error) {
	if err := checkWritable(path); err != nil {
		return nil, State{}, err
	}
	lock, err := acquire(path)
	if err != nil {
		return nil, State{}, err
	}
	state, err := Open(path)
	if err != nil {
		return nil, State{}, errors.Join(fmt.Errorf("can't open session %s: %w", path, err), lock.Close())
	}
	if state.ID == "" { // the record with the id is damaged
		state.ID, state.Workspace = idOf(path), o.Workspace
	}
	l := &Log{id: state.ID, path: path, now: o.Now, seq: state.seq, timeline: state.timeline, counts: state.Counts, title: state.Title, untitled: titleEvery, waiting: state.Waiting, prev: state.prev}
	l.hide(o.Hidden)
	l.disk = writer{open: l.reopen, keep: l.keep, lock: lock, wanted: state.hasEntries, size: state.good, torn: state.unended}
	return l, state, nil
}

// UnwritableError means that a session cannot be continued, because its log cannot be written.
type UnwritableError struct{ ID, Reason string }

func (e *UnwritableError) Error() string {
	return fmt.Sprintf("can't write session %s: %s. Add --fork to continue in a copy", e.ID, e.Reason)
}

// CheckAvailable returns nil if a session can be resumed now. Otherwise the error is an *UnwritableError or a
// *LockedError.
func CheckAvailable(path string) error {
	if err := checkWritable(path); err != nil {
		return err
	}
	lock := fsutil.NewFileLock(path)
	free, err := lock.TryRLock() // a shared lock, because two programs may check at the same time
	if err != nil {
		return unlockable(err)
	}
	if !free {
		err = heldBy(path)
	}
	return errors.Join(err, lock.Close())
}

// checkWritable returns an error if this user cannot write the log, or if other users can.
func checkWritable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("can't open the session: %w", err)
	}
	if foreign := fsutil.OtherWriters(info); foreign != "" {
		return &UnwritableError{idOf(path), foreign}
	}
	out, err := fsutil.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return &UnwritableError{idOf(path), fsutil.Reason(err).Error()}
	}
	return out.Close()
}

// reopen opens the file of a resumed session and removes an incomplete last line.
func (l *Log) reopen() (file, error) {
	out, err := fsutil.OpenFile(l.path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	if err := fsutil.Truncate(out, l.disk.size); err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return out, nil
}

// CheckAvailable locks a session for some microseconds. acquire waits longer than that before it reports that
// the session is in use.
const (
	lookTimeout = 100 * time.Millisecond
	lookPoll    = 2 * time.Millisecond
)

// acquire locks the log at path, which must exist. The lock ends at the latest with the process. If another
// process has the lock, the error identifies that process by the log.
func acquire(path string) (*fsutil.FileLock, error) {
	lock := fsutil.NewFileLock(path)
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	defer cancel()
	_, err := lock.TryLockContext(ctx, lookPoll)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, errors.Join(heldBy(path), lock.Close())
	}
	if err != nil {
		return nil, unlockable(err)
	}
	return lock, nil
}

func unlockable(err error) error {
	return fmt.Errorf("can't open the session: %w", fsutil.ExplainLockError(err, "XDG_DATA_HOME"))
}

// LockHolder identifies the process that has the session at path open. It returns nil if there is none.
func LockHolder(path string) *LockedError {
	var held *LockedError
	if err := CheckAvailable(path); errors.As(err, &held) {
		return held
	}
	return nil
}

func heldBy(path string) error {
	held := &LockedError{ID: idOf(path)}
	if t, err := textAt(path); err == nil {
		if p, err := read(t); err == nil {
			held.PID, held.Since = p.state.PID, p.state.Since
		}
	}
	return held
}

// newID returns an id that sorts by time.
func newID(now time.Time, random io.Reader) (string, error) {
	var salt [3]byte
	if _, err := io.ReadFull(random, salt[:]); err != nil {
		return "", err
	}
	suffix := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(salt[:])
	return now.UTC().Format("20060102-150405-") + strings.ToLower(suffix), nil
}

func idOf(path string) string { return strings.TrimSuffix(filepath.Base(path), extension) }

// folderName returns the name of the folder for the sessions of a workspace. It consists of the workspace's
// name, for readability, and a hash that makes it unique.
func folderName(workspace string) string {
	name := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '-'
	}, filepath.Base(workspace))
	const longest = 64
	sum := sha256.Sum256([]byte(workspace))
	return name[:min(len(name), longest)] + "-" + hex.EncodeToString(sum[:4])
}
