package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Edited is a file that a tool is about to change.
type Edited struct {
	// Abs is its path, free of links.
	Abs string
	// Before and After are what it holds, nil where there is no file.
	Before, After []byte
	// Mode is that of a file that is made, 0 for what new files get.
	Mode fs.FileMode
}

// Edit keeps what files hold before a tool changes them, together as one change. The mark
// names it. Failed is to be called when it did not come about. Whatever cannot be kept is no
// error of the edit; see Warnings.
func (s *Store) Edit(files ...Edited) (mark Mark, failed func()) {
	none := func() {}
	if !s.use() {
		return "", none
	}
	defer s.mu.Unlock()
	var inside []Edited
	for _, file := range files {
		if !filepath.IsAbs(s.Workspace.Rel(file.Abs)) { // else it is in the temporary folder
			inside = append(inside, file)
		}
	}
	if len(inside) == 0 || s.ready() != nil {
		return "", none
	}
	s.finishCommand(context.Background())
	changes := make([]Change, len(inside))
	for i, file := range inside {
		changes[i] = s.edited(file)
	}
	s.keepHalf(s.halfDone())
	id := s.record(node{Changes: changes})
	return s.markOf(id), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tree.drop(id)
		s.write(record{Drop: id})
	}
}

// Left returns the hashes of what a change left in files, by their absolute paths. It has
// none of a change that is not kept any more, and none of files that may hold keys.
func (s *Store) Left(m Mark) map[string][sha256.Size]byte {
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
			left[absolute(s.files.Root(), c.Path)] = [sha256.Size]byte(sum)
		}
	}
	return left
}

// edited is the change of one file, of which what it held is kept.
func (s *Store) edited(file Edited) Change {
	rel := s.Workspace.Rel(file.Abs)
	c := Change{Path: rel, Before: State{Kind: Missing}, After: State{Kind: Missing}}
	if file.Before == nil {
		c.Made = s.files.missingFolders(file.Abs)
	} else {
		info, err := os.Lstat(file.Abs)
		c.Before = s.keep(file.Abs, rel, stateOf(file.Abs, info, err), file.Before)
	}
	switch {
	case file.After == nil:
	case s.Secret(file.Abs, rel):
		c.After = State{Kind: File, Lost: lostSecret}
	default:
		c.After = State{Kind: File, Mode: file.Mode, Size: int64(len(file.After)), Sum: sumOf(file.After)}
		if file.Before != nil {
			c.After.Mode = c.Before.Mode
		}
	}
	return c
}
