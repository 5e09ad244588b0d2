package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"agent/internal/history"
	"agent/internal/protect"
	"agent/internal/snapshot"
)

// unrecorded begins the ids of conversations that nothing records; what is kept under
// them ends with the program.
const unrecorded = "unrecorded-"

// keepFiles lets the tools keep what files held before they change them. Of another
// program's stores it removes those that nobody needs any more. A fork begins with what
// was kept for its parent.
func (c *ground) keepFiles(id, parent string) {
	if c.options.Record.Fork {
		if err := snapshot.Copy(c.folders.SnapshotsOf(parent), c.folders.SnapshotsOf(id)); err != nil {
			c.Notices = append(c.Notices, "what files held before the fork is not kept for /undo: "+err.Error())
		}
	}
	store, err := snapshot.Open(snapshot.Options{
		Folder:    c.folders.SnapshotsOf(id),
		Workspace: c.workspace,
		Secret: func(abs, rel string) bool {
			return protect.InGit(rel) || c.env.Protected.Read(abs, rel).Care != protect.Free
		},
		Now:       c.process.Now,
		Home:      c.process.Home,
		Config:    filepath.Dir(c.folders.Config),
		Temporary: c.session == nil,
	})
	if err != nil {
		// Without it the session is as good as ever, but for /undo.
		c.Notices = append(c.Notices, err.Error())
		return
	}
	c.env.Snapshots = store
	c.Notices = append(c.Notices, store.Warnings()...)
	c.onClose(store.Close)
	swept := make(chan struct{})
	go func() {
		defer close(swept)
		snapshot.Sweep(c.folders.Snapshots(), c.process.Now(), c.folders.hasSession)
	}()
	c.onClose(func() error { <-swept; return nil })
}

// rememberWrites notes of the entries of a recorded conversation which files the model wrote,
// so that it may write them again without reading what it has just written. What
// somebody else has put there since is another content, and is not overwritten.
func (c *ground) rememberWrites(entries []*history.Content) {
	for _, entry := range entries {
		mark, changed := entry.Metadata[history.MetaChange].(string)
		if !changed || len(entry.Blocks) == 0 {
			continue
		}
		answer, ok := entry.Blocks[0].(*history.ToolResponse)
		if !ok || !c.registry.Traits(answer.ToolName).EditsOnly() {
			continue // what a command wrote the model has not seen
		}
		for abs, sum := range c.env.Snapshots.Left(snapshot.Mark(mark)) {
			c.env.Seen.Restore(abs, sum)
		}
	}
}

// hasSession reports whether a session with this id is recorded, or whether that cannot
// be shown.
func (f Folders) hasSession(id string) bool {
	if _, err := os.ReadDir(f.Sessions()); err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	found, err := filepath.Glob(filepath.Join(f.Sessions(), "*", id+".jsonl"))
	return err != nil || len(found) > 0
}
