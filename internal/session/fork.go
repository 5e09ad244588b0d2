package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"agent/internal/disk"
)

// errNothingToFork is returned for a session in which nothing was said.
var errNothingToFork = errors.New("nothing was said yet, so there is nothing to fork")

// Fork begins a session that continues from what the log at path holds (D-81). That log is
// only read, also while somebody writes to it; the new one holds all of it, so that it
// needs the other for nothing.
func Fork(path string, o Options) (*Log, State, error) {
	state, err := replayAt(path)
	if err != nil {
		return nil, State{}, fmt.Errorf("the session %s cannot be forked: %w", path, err)
	}
	if !state.hasEntries {
		return nil, State{}, errNothingToFork
	}
	workspace := state.Workspace
	if state.ID == "" { // the record that says so is damaged
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
		ID: id, Workspace: workspace, PID: o.PID, Parent: idOf(path), Branch: o.Branch, Unattended: o.Unattended,
	}})
	if err != nil {
		return nil, State{}, err
	}
	size, err := copyLog(newPath, path, state, line)
	if err != nil {
		return nil, State{}, fmt.Errorf("the session cannot be forked: %w", disk.Reason(err))
	}
	lock, err := acquire(newPath)
	if err != nil {
		return nil, State{}, err
	}
	l.disk = writer{open: l.reopen, keep: l.keep, lock: lock, wanted: true, size: size}
	state.Parent, state.ID, state.Workspace = idOf(path), id, workspace
	state.text = stored(newPath, size) // it has the same lines at the same places
	return l, state, nil
}

// copyLog makes the log at path of the whole records of another and a last line, all or
// nothing, and returns its size.
func copyLog(path, from string, state State, last []byte) (size int64, err error) {
	in, err := os.Open(from)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".tmp")
	out, err := os.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	size, err = io.CopyN(out, in, state.good)
	if state.unended {
		last = append([]byte("\n"), last...)
	}
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
	return size + int64(len(last)), disk.SyncFolder(filepath.Dir(path))
}

// Fork continues in a log of its own, and returns its id. The log so far only gets a note
// that its background commands belong to the fork, and others can open it. With is called
// with the id before anything changes, to copy what a session keeps besides its log; if it
// fails, there is no fork.
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
	// Background commands stay with the program that began them: they are the fork's now.
	err = l.jobs(state.Jobs, true)
	_ = l.disk.close(l.path) // all of it is on disk
	// Refs are the same there; the entries stay those of the history that is observed.
	l.id, l.path, l.seq, l.disk, l.untitled = forked.id, forked.path, forked.seq, forked.disk, titleEvery
	l.disk.open, l.disk.keep = l.reopen, l.keep
	return l.id, errors.Join(err, l.jobs(state.Jobs, false))
}

// jobs records that background commands run here, or that they do no more.
func (l *Log) jobs(jobs []Job, ended bool) error {
	for _, job := range jobs {
		if err := l.append(change{kind: TypeJob, payload: jobPayload{job, ended}}); err != nil {
			return err
		}
	}
	return nil
}
