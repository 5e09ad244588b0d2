// Package index reads git's index. The index lists the files that git tracks in a work tree, with
// the times at which git last compared them. The package does not run git, so that nothing in a
// repository can interfere. An index may be large, so a Reader stores one entry at a time.
package index

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"agent/internal/base/fsutil"
)

// Index is an open index. Its content does not change, because git replaces the file to change it.
// A nil Index has no entries.
type Index struct {
	// file is nil if the path is not a regular file, or the file is too large.
	file *os.File
	// nameLength is the length of an object name in bytes. Only entries with a path that begins
	// with prefix are read.
	nameLength int
	prefix     string
	// written is the modification time of the index in nanoseconds since 1970. If a file was
	// modified at that time or later, its content may differ although its times match the entry.
	written int64
	size    int64
}

// Entry is an entry of the index.
type Entry struct {
	// Changed and Written are the times of the last change of the file's inode and content, in
	// nanoseconds since 1970. Inode and Size are the lower bits of its inode number and size.
	Changed, Written int64
	Inode, Size      uint32
	Mode             Mode
	// Merging is set for each side of a merge conflict, and Skipped for a file that is
	// deliberately not in the work tree.
	Merging, Skipped bool
	// Path is relative to the prefix, and Name is the object name of the content. Both are valid
	// until the next entry is read.
	Path, Name []byte
}

// Mode is the type of an entry.
type Mode byte

// The modes that an entry can have.
const (
	Folder     Mode = 0o04
	Regular    Mode = 0o10
	Link       Mode = 0o12
	Repository Mode = 0o16
)

// largest is the largest index that is read, in bytes.
const largest = 256 << 20

// Open opens the index of a git folder. Only entries whose path begins with prefix are read, and
// the prefix is removed from their paths. Open returns nil if there is no index.
func Open(gitDir, prefix string) *Index {
	if gitDir == "" {
		return nil
	}
	file, err := os.OpenFile(filepath.Join(gitDir, "index"), os.O_RDONLY|fsutil.NoWait, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &Index{}
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > largest {
		file.Close()
		return &Index{}
	}
	return &Index{file: file, nameLength: nameLength(gitDir), prefix: prefix, written: info.ModTime().UnixNano(), size: info.Size()}
}

// Close closes the file of the index.
func (i *Index) Close() {
	if i != nil && i.file != nil {
		i.file.Close()
	}
}

// IsUnchanged reports whether a file certainly has the tracked content if its times equal those of the
// entry. Git uses the same rule.
func (i *Index) IsUnchanged(e *Entry) bool {
	return e.Written < i.written
}

// nameLength returns the length of an object name of the repository in bytes.
func nameLength(gitDir string) int {
	const sha1, sha256 = 20, 32
	config, err := fsutil.Read(filepath.Join(gitDir, "config"))
	if errors.Is(err, fs.ErrNotExist) { // a linked work tree has no such folder
		config, _ = fsutil.Read(filepath.Join(gitDir, "..", "..", "config"))
	}
	if bytes.Contains(bytes.ToLower(config), []byte("sha256")) {
		return sha256
	}
	return sha1
}
