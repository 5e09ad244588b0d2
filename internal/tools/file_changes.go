package tools

import (
	"agent/internal/history"
	"agent/internal/snapshot"
)

// FileChanges lists the files of a change with their hashes, for the session log. unlisted is set
// if the list may be incomplete.
func (e *Env) FileChanges(change snapshot.Mark) (files []history.FileChange, unlisted bool) {
	changes, all := e.Snapshots.Files(change)
	for _, f := range changes {
		files = append(files, NewFileChange(f.Path, f.Before, f.After))
	}
	return files, !all
}

// NewFileChange returns the change of one file for the session log.
func NewFileChange(path string, before, after snapshot.FileState) history.FileChange {
	return history.FileChange{Path: path, Before: hashIn(before), After: hashIn(after)}
}

// hashIn returns the hash of a file's content. It returns "" for a missing file and "?" for unknown
// content.
func hashIn(s snapshot.FileState) string {
	switch {
	case s.Kind == snapshot.KindMissing:
		return ""
	case s.Sum == "":
		return "?"
	}
	return s.Sum
}
