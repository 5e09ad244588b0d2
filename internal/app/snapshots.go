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

// unrecorded is the prefix of the ids of conversations that are not recorded. Files kept under
// such an id are removed when the program ends.
const unrecorded = "unrecorded-"

// keepFiles opens the snapshot store, in which tools keep the contents of files before they
// change them. A fork begins with a copy of its parent's store. keepFiles also removes the stores
// of other programs that nobody needs any more.
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
		// Without a store, only /undo is missing.
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

// rememberWrites remembers the files that the model wrote in a recorded conversation, so that the
// model may write them again without reading them first. A file that somebody else has changed
// since has other content and is not overwritten.
func (c *ground) rememberWrites(entries []*history.Content) {
	for _, entry := range entries {
		mark, changed := entry.Metadata[history.MetaChange].(string)
		if !changed || len(entry.Blocks) == 0 {
			continue
		}
		answer, ok := entry.Blocks[0].(*history.ToolResponse)
		if !ok || !c.registry.Traits(answer.ToolName).EditsOnly() {
			continue // the model has not seen the output files of a command
		}
		for abs, sum := range c.env.Snapshots.WrittenSums(snapshot.Mark(mark)) {
			c.env.Seen.Restore(abs, sum)
		}
	}
}

// hasSession reports whether a session with this id is recorded, and also returns true if this
// cannot be determined.
func (f Folders) hasSession(id string) bool {
	if _, err := os.ReadDir(f.Sessions()); err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	found, err := filepath.Glob(filepath.Join(f.Sessions(), "*", id+".jsonl"))
	return err != nil || len(found) > 0
}
