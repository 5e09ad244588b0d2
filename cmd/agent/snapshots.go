package main

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agent/internal/protect"
	"agent/internal/snapshot"
)

// snapshotsDir is where what files held is kept, a folder a session.
func (f folders) snapshotsDir() string { return filepath.Join(f.state, "snapshots") }

// snapshotsOf is the folder of a session.
func (f folders) snapshotsOf(session string) string { return filepath.Join(f.snapshotsDir(), session) }

// unrecorded begins the names of stores of conversations that nothing records; they
// end with the program.
const unrecorded = "unrecorded-"

// keepFiles lets the tools keep what files held before they change them. Of another
// program's stores it removes those that nobody needs any more. A fork begins with what
// was kept for its parent.
func (a *app) keepFiles(forked bool, parent string) {
	name := a.sessionID()
	if name == "" {
		name = unrecorded + strings.ToLower(rand.Text()[:8])
	}
	if forked {
		if err := snapshot.Copy(a.folders.snapshotsOf(parent), a.folders.snapshotsOf(name)); err != nil {
			a.notices = append(a.notices, "what files held before the fork is not kept for /undo: "+err.Error())
		}
	}
	store, err := snapshot.Open(snapshot.Options{
		Folder:    a.folders.snapshotsOf(name),
		Workspace: a.workspace,
		Secret: func(abs, rel string) bool {
			return protect.InGit(rel) || a.env.Protected.Read(abs, rel).Care != protect.Free
		},
		Now:       a.world.now,
		Home:      a.world.home,
		Config:    filepath.Dir(a.folders.config),
		Temporary: a.session == nil,
	})
	if err != nil {
		// Without it the session is as good as ever, but for /undo.
		a.notices = append(a.notices, err.Error())
		return
	}
	a.env.Snapshots = store
	a.notices = append(a.notices, store.Warnings()...)
	a.onClose(store.Close)
	swept := make(chan struct{})
	go func() {
		defer close(swept)
		snapshot.Sweep(a.folders.snapshotsDir(), a.world.now(), a.hasSession)
	}()
	a.onClose(func() error { <-swept; return nil })
}

// hasSession reports whether a session with this id is recorded, or whether that cannot
// be told.
func (a *app) hasSession(id string) bool {
	if _, err := os.ReadDir(a.folders.sessionsDir()); err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	found, err := filepath.Glob(filepath.Join(a.folders.sessionsDir(), "*", id+".jsonl"))
	return err != nil || len(found) > 0
}
