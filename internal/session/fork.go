package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"agent/internal/base/fsutil"
)

// errNothingToFork is returned for a session without an entry.
var errNothingToFork = errors.New("can't fork: the session has no message yet")

// Fork starts a session that continues from the log at path (D-81). It only reads that log, which may be in
// use. The new session has a copy of all its records, and does not need the original afterwards.
func Fork(path string, o Options) (*Log, State, error) {
	state, err := Open(path)
	if err != nil {
		return nil, State{}, fmt.Errorf("can't fork session %s: %w", path, err)
	}
	if !state.hasEntries {
		return nil, State{}, errNothingToFork
	}
	workspace := state.Workspace
	if state.ID == "" { // the record with the workspace is damaged
		workspace = o.Workspace
	}
	folder := filepath.Join(o.Dir, folderName(workspace))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, State{}, err
	}
	id, newPath, err := unusedID(folder, o.Now(), o.Random)
	if err != nil {
		return nil, State{}, err
	}
	l := &Log{id: id, path: newPath, now: o.Now, seq: state.seq + 1, timeline: state.timeline, counts: state.Counts, title: state.Title, untitled: titleEvery, waiting: state.Waiting}
	line, err := encode(l.seq, o.Now(), change{kind: TypeSession, payload: sessionPayload{
		ID: id, Workspace: workspace, PID: o.PID, Parent: idOf(path), Branch: o.Branch, Unattended: o.Unattended, Policy: o.Policy, Acts: true,
	}}, state.prev)
	if err != nil {
		return nil, State{}, err
	}
	if state.unended {
		line = append([]byte("\n"), line...)
	}
	l.prev = hashOf(line)
	size, err := copyLog(newPath, path, state.good, line)
	if err != nil {
		return nil, State{}, fmt.Errorf("can't fork the session: %w", fsutil.Reason(err))
	}
	if err := copyAgents(newPath, path, state.Agents); err != nil {
		return nil, State{}, fmt.Errorf("can't fork the session: %w", errors.Join(fsutil.Reason(err), os.Remove(newPath)))
	}
	lock, err := acquire(newPath)
	if err != nil {
		return nil, State{}, err
	}
	l.hide(o.Hidden)
	l.disk = writer{open: l.reopen, keep: l.keep, lock: lock, wanted: true, size: size}
	state.Parent, state.ID, state.Workspace = idOf(path), id, workspace
	state.text = stored(newPath, size) // the copy has the same lines at the same offsets
	return l, state, nil
}

// copyLog copies the first bytes of a log to path and appends a last line. It returns the size of the copy.
// After an error there is no file at path.
func copyLog(path, from string, first int64, last []byte) (size int64, err error) {
	in, err := fsutil.Open(from)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".tmp")
	out, err := os.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	size, err = io.CopyN(out, in, first)
	if err == nil {
		_, err = out.Write(last)
	}
	if err == nil {
		err = out.Sync()
	}
	err = errors.Join(err, out.Close())
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return 0, errors.Join(err, os.Remove(temporary))
	}
	return size + int64(len(last)), fsutil.SyncFolder(filepath.Dir(path))
}

// Fork switches to a copy of the log and returns the copy's id. It records in the original that its
// background commands now belong to the fork, and unlocks the original. Fork calls with before anything
// changes, so that the caller can copy the session's other files. If with returns an error, there is no
// fork.
func (l *Log) Fork(o Options, with func(id string) error) (id string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.disk.wanted {
		return "", errNothingToFork
	}
	l.disk.flush()
	if err := l.unsaved(); err != nil {
		return "", err
	}
	forked, state, err := Fork(l.path, o)
	if err != nil {
		return "", err
	}
	if err := with(forked.id); err != nil {
		return "", errors.Join(err, os.Remove(forked.path), forked.disk.lock.Close())
	}
	// Background commands stay with this process, which continues in the fork.
	err = l.jobs(state.Jobs, true)
	_ = l.disk.close(l.path) // the records are already on disk
	// References have the same meaning in the copy, so the timeline of the history stays valid.
	l.id, l.path, l.seq, l.disk, l.untitled, l.prev = forked.id, forked.path, forked.seq, forked.disk, titleEvery, forked.prev
	l.disk.open, l.disk.keep = l.reopen, l.keep
	return l.id, errors.Join(err, l.jobs(state.Jobs, false))
}

// jobs records that background commands run in this session, or that they have ended.
func (l *Log) jobs(jobs []Job, ended bool) error {
	for _, job := range jobs {
		if err := l.append(change{kind: TypeJob, payload: jobPayload{job, ended}}); err != nil {
			return err
		}
	}
	return nil
}
