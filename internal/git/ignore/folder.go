package ignore

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"syscall"

	"agent/internal/base/fsutil"
)

// folder is a folder to list. Slash paths relative to it name its content, with "." for the folder
// itself. They are opened without following links, so that a link that is created during the
// listing has no effect.
type folder struct {
	tree *fsutil.Tree
	// root is the absolute path of the tree. at is the slash path of this folder in it.
	root, at string
}

// openFolder opens a folder. It follows links in its path.
func openFolder(root string) (folder, error) {
	tree, err := fsutil.OpenTree(root)
	return folder{tree, root, "."}, err
}

func (f folder) close() { f.tree.Close() }

func (f folder) below(rel string) folder { return folder{f.tree, f.root, path.Join(f.at, rel)} }

// abs returns the absolute path for a path in the folder.
func (f folder) abs(rel string) string { return absolute(f.root, path.Join(f.at, rel)) }

// read calls do for each entry of the folder at a path.
func (f folder) read(rel string, do func(name string, kind fs.FileMode)) error {
	return f.tree.ReadFolder(path.Join(f.at, rel), do)
}

func (f folder) lstat(rel string) (fs.FileInfo, error) { return f.tree.Lstat(path.Join(f.at, rel)) }

// isGone reports whether an error means that the folder no longer exists.
func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, fsutil.ErrLink)
}

// absolute returns the absolute path for a slash path in a folder.
func absolute(dir, rel string) string { return filepath.Join(dir, filepath.FromSlash(rel)) }
