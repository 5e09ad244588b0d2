package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"agent/internal/history"
	"agent/internal/protect"
	"agent/internal/snapshot"
	"agent/internal/tools"
)

// keepFiles opens the snapshot store, in which tools save the contents of files before they change them. A
// fork begins with a copy of its parent's store. keepFiles also removes unused stores of other programs.
// Without a store, everything except /undo works.
func keepFiles(at *place, rec *record, protected protect.ProtectionRules, ends *closers) (store *snapshot.Store, notices []string) {
	if rec.how.Fork {
		if err := snapshot.Copy(at.folders.SnapshotsOf(rec.resumed.Parent), at.folders.SnapshotsOf(rec.id)); err != nil {
			notices = append(notices, "Can't copy the undo history into the fork: "+err.Error())
		}
	}
	store, err := snapshot.Open(snapshot.Options{
		Folder:    at.folders.SnapshotsOf(rec.id),
		Workspace: at.workspace,
		Secret: func(abs, rel string) bool {
			return protect.InGit(rel) || protected.Read(abs, rel).Protection != protect.Unprotected
		},
		Now:       at.process.Now,
		Home:      at.process.Home,
		Config:    filepath.Dir(at.folders.Config),
		Temporary: rec.log == nil,
	})
	if err != nil {
		return nil, append(notices, err.Error())
	}
	ends.add(store.Close)
	swept := make(chan struct{})
	go func() {
		defer close(swept)
		snapshot.Sweep(at.folders.Snapshots(), at.process.Now(), at.folders.hasSession)
	}()
	ends.add(func() error { <-swept; return nil })
	return store, append(notices, store.Warnings()...)
}

// rememberFiles marks the files that a recorded conversation has read, and those that the model wrote in
// it. The model may then write them again without reading them first. A file that another program has
// changed since has other content and is not overwritten.
func rememberFiles(entries []*history.Content, env *tools.Env, registry *tools.Registry) {
	for _, entry := range entries {
		if met := history.ViewOf(entry).Path; met != "" {
			env.Seen.MarkSeen(met)
		}
		mark, changed := entry.Metadata[history.MetaChange].(string)
		if !changed || len(entry.Blocks) == 0 {
			continue
		}
		answer, ok := entry.Blocks[0].(*history.ToolResponse)
		if !ok || !registry.Traits(answer.ToolName).EditsOnly() {
			continue // the model has not seen the output files of a command
		}
		for abs, sum := range env.Snapshots.WrittenSums(snapshot.Mark(mark)) {
			env.Seen.Restore(abs, sum)
		}
	}
}

// hasSession reports whether a session with this id is recorded. It returns true if this cannot be
// determined.
func (f Folders) hasSession(id string) bool {
	if _, err := os.ReadDir(f.Sessions()); err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	found, err := filepath.Glob(filepath.Join(f.Sessions(), "*", id+".jsonl"))
	return err != nil || len(found) > 0
}
