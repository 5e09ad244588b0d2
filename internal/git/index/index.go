// Package index reads git's index: what git tracks of a work tree, with the times at which
// the files held what git keeps of them. It does so without running git, so that nothing in
// a repository can interfere, and holds one entry at a time, for there may be many.
package index

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"agent/internal/disk"
)

// Index is the index as it was when it was opened: git puts another file in its place. Nil
// is one without entries.
type Index struct {
	// file is nil for what is no file, or one that is too large.
	file *os.File
	// nameLength is how many bytes a name of a content has, and prefix what the paths of
	// entries begin with that are read.
	nameLength int
	prefix     string
	// written is when the index was: what was written at the same moment or later may
	// have changed unseen.
	written unix.Timespec
	size    int64
}

// Entry is one of an index.
type Entry struct {
	// Changed and Written are when the inode and the content of the file were, Inode and
	// Size the lower bits of those.
	Changed, Written unix.Timespec
	Inode, Size      uint32
	Mode             Mode
	// Merging is set for one side of a conflict, Skipped for what is not to be on disk.
	Merging, Skipped bool
	// Path is below the prefix, and Name that of the content; both are valid until the
	// next entry is read.
	Path, Name []byte
}

// Mode says what an entry is.
type Mode byte

// The modes that an entry can have.
const (
	Folder     Mode = 0o04
	Regular    Mode = 0o10
	Link       Mode = 0o12
	Repository Mode = 0o16
)

// largest bounds what is read of an index, in bytes.
const largest = 256 << 20

// Open opens the index in the folder of a repository. Of its entries those are read whose
// paths begin with prefix, which is taken off them. It is nil where there is none.
func Open(gitDir, prefix string) *Index {
	if gitDir == "" {
		return nil
	}
	file, err := os.OpenFile(filepath.Join(gitDir, "index"), os.O_RDONLY|unix.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &Index{}
	}
	var stat unix.Stat_t
	if unix.Fstat(int(file.Fd()), &stat) != nil || stat.Mode&unix.S_IFMT != unix.S_IFREG || stat.Size > largest {
		file.Close()
		return &Index{}
	}
	return &Index{file: file, nameLength: nameLength(gitDir), prefix: prefix, written: stat.Mtim, size: stat.Size}
}

// Close frees what the index was opened with.
func (i *Index) Close() {
	if i != nil && i.file != nil {
		i.file.Close()
	}
}

// Sure reports whether a file with the times of an entry holds what git keeps of it, as git
// itself takes it.
func (i *Index) Sure(e *Entry) bool {
	return unix.TimespecToNsec(e.Written) < unix.TimespecToNsec(i.written)
}

// nameLength is how many bytes a name of a content has in a repository.
func nameLength(gitDir string) int {
	const sha1, sha256 = 20, 32
	config, err := disk.Read(filepath.Join(gitDir, "config"))
	if errors.Is(err, fs.ErrNotExist) { // a linked work tree
		config, _ = disk.Read(filepath.Join(gitDir, "..", "..", "config"))
	}
	if bytes.Contains(bytes.ToLower(config), []byte("sha256")) {
		return sha256
	}
	return sha1
}
