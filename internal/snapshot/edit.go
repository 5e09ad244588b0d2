package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// FileEdit is a file that a tool is about to change.
type FileEdit struct {
	// Abs is the path of the file, without links.
	Abs string
	// Before and After are the contents, nil if there is no file.
	Before, After []byte
	// Mode is the mode of a file that is created, 0 for the usual mode of new files.
	Mode fs.FileMode
}

// BeginEdit stores the contents of files before a tool changes them together. mark identifies the
// change. The caller calls failed if the change did not happen. A content that cannot be stored is
// not an error of the edit; see Warnings.
func (s *Store) BeginEdit(files ...FileEdit) (mark Mark, failed func()) {
	none := func() {}
	if !s.use() {
		return "", none
	}
	defer s.mu.Unlock()
	var inside []FileEdit
	for _, file := range files {
		if !filepath.IsAbs(s.Workspace.Rel(file.Abs)) { // undo does not cover the temporary folder
			inside = append(inside, file)
		}
	}
	if len(inside) == 0 || s.ready() != nil {
		return "", none
	}
	s.finishInterrupted(context.Background())
	changes := make([]Change, len(inside))
	for i, file := range inside {
		changes[i] = s.changeOf(file)
	}
	s.keepHalf(s.halfDone())
	s.recordBefore(changes)
	id := s.record(node{Changes: changes})
	return s.markOf(id), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tree.drop(id)
		s.write(record{Drop: id})
	}
}

// Paths returns the absolute paths of the files of a change. It returns none for a change that is
// no longer stored.
func (s *Store) Paths(m Mark) []string {
	if m == "" || !s.use() {
		return nil
	}
	defer s.mu.Unlock()
	id, err := s.node(m)
	if err != nil || id == 0 {
		return nil
	}
	var paths []string
	for _, c := range s.tree.nodes[id].Changes {
		paths = append(paths, absolute(s.files.workspace.Root(), c.Path))
	}
	return paths
}

// Files returns the file changes of a change, with paths relative to the workspace. It returns none
// for a change that is no longer stored. all is false if the list may lack created files.
func (s *Store) Files(m Mark) (changes []Change, all bool) {
	if m == "" || !s.use() {
		return nil, true
	}
	defer s.mu.Unlock()
	id, err := s.node(m)
	if err != nil || id == 0 {
		return nil, true
	}
	return slices.Clone(s.tree.nodes[id].Changes), !s.tree.nodes[id].Unlisted
}

// WrittenSums returns the hashes of the contents that a change wrote, by absolute path. It has no
// hashes for a change that is no longer stored, nor for secret files.
func (s *Store) WrittenSums(m Mark) map[string][sha256.Size]byte {
	if !s.use() {
		return nil
	}
	defer s.mu.Unlock()
	id, err := s.node(m)
	if err != nil || id == 0 {
		return nil
	}
	left := map[string][sha256.Size]byte{}
	for _, c := range s.tree.nodes[id].Changes {
		name, own := strings.CutPrefix(c.After.Sum, ownSum)
		if sum, err := hex.DecodeString(name); own && err == nil && len(sum) == sha256.Size {
			left[absolute(s.files.workspace.Root(), c.Path)] = [sha256.Size]byte(sum)
		}
	}
	return left
}

func (s *Store) changeOf(file FileEdit) Change {
	rel := s.Workspace.Rel(file.Abs)
	c := Change{Path: rel, Before: FileState{Kind: KindMissing}, After: FileState{Kind: KindMissing}}
	if file.Before == nil {
		c.Made = s.files.missingFolders(file.Abs)
	} else {
		info, err := os.Lstat(file.Abs)
		c.Before = s.keep(file.Abs, rel, stateOf(file.Abs, info, err), file.Before)
	}
	switch {
	case file.After == nil:
	case s.Secret(file.Abs, rel):
		c.After = FileState{Kind: KindFile, NotKept: lostSecret}
	default:
		c.After = FileState{Kind: KindFile, Mode: file.Mode, Size: int64(len(file.After)), Sum: sumOf(file.After)}
		if file.Before != nil {
			c.After.Mode = c.Before.Mode
		}
	}
	return c
}
