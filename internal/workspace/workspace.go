// Package workspace confines file access to one folder, the workspace, and the temporary folder
// beside it.
//
// A path from outside must first be resolved by [Workspace.Resolve]; every other method accepts the
// resolved path. Files are opened and written through an os.Root, so a link that replaces a folder
// between check and use has no effect. A file is replaced as a whole or not at all, and only if its
// content is the expected one ([Workspace.Replace]). Listings omit files that git ignores.
//
// The application creates one [Workspace], which the tools share. [TempMapping] describes the private
// folder that commands see as /tmp.
package workspace

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"agent/internal/base/fsutil"
)

// A Workspace is the folder that confines file access, and the temporary folder beside it. It is
// safe for parallel use.
type Workspace struct {
	root string
	temp string
	// looks lists further folders whose files may be read but not written.
	looks []string
	// makeTemp creates the temporary folder. It is nil if the folder exists from the start.
	makeTemp func() error
	// mapped describes the folder that commands see as /tmp.
	mapped TempMapping
}

// New returns a Workspace that confines access to the folder root and, unless tempDir is empty, to
// the folder tempDir. Both must exist.
func New(root, tempDir string) (*Workspace, error) {
	w := &Workspace{}
	var err error
	if w.root, err = realFolder(root); err != nil {
		return nil, fmt.Errorf("workspace %s: %w", root, err)
	}
	if tempDir == "" {
		return w, nil
	}
	if w.temp, err = realFolder(tempDir); err != nil {
		return nil, fmt.Errorf("can't use the temporary folder %s: %w", tempDir, err)
	}
	return w, nil
}

// errNoFolder is equal to syscall.ENOTDIR, which Windows does not distinguish from a missing
// folder.
type errNoFolder struct{}

func (errNoFolder) Error() string { return "not a directory" }

func (errNoFolder) Is(err error) bool { return err == syscall.ENOTDIR }

// realFolder returns the absolute path of a folder without symbolic links.
func realFolder(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(abs); err != nil {
		return "", fsutil.Reason(err)
	} else if !info.IsDir() {
		return "", errNoFolder{}
	}
	real, err := filepath.EvalSymlinks(abs)
	return real, fsutil.Reason(err)
}

// Root returns the absolute path of the workspace, without symbolic links.
func (w *Workspace) Root() string { return w.root }

// Folders returns the folders to which access is confined, except the folders of AllowReading.
func (w *Workspace) Folders() []string {
	return slices.DeleteFunc([]string{w.root, w.temp, w.ownTemp()}, func(folder string) bool { return folder == "" })
}

// MakeTemp sets a temporary folder that is created at its first use. path is absolute and free of
// symbolic links. make is called before every use.
func (w *Workspace) MakeTemp(path string, make func() error) {
	w.temp, w.makeTemp = path, make
}

// TempDir returns the temporary folder, or "" if there is none. It creates the folder if necessary.
// If that fails, the use of the folder fails later.
func (w *Workspace) TempDir() string {
	if w.makeTemp != nil {
		_ = w.makeTemp()
	}
	return w.temp
}

// Resolve returns the absolute target, without symbolic links, of a path from the model. Relative
// paths start at the workspace. The file, and the folders above it, need not exist. The error is an
// *OutsideError for a path outside of the workspace and its temporary folder.
func (w *Workspace) Resolve(path string) (string, error) {
	return w.resolve(path, w.Folders())
}

// AllowReading allows reading the files below some folders, which ResolveRead then accepts. It is
// called before the workspace is shared.
func (w *Workspace) AllowReading(folders ...string) {
	for _, folder := range folders {
		if real, err := realFolder(folder); err == nil {
			w.looks = append(w.looks, real)
		}
	}
}

// ResolveRead resolves a path like Resolve, but only for reading. It also accepts the folders of
// AllowReading.
func (w *Workspace) ResolveRead(path string) (string, error) {
	return w.resolve(path, append(w.Folders(), w.looks...))
}

func (w *Workspace) resolve(path string, within []string) (string, error) {
	if path == "" {
		return "", fmt.Errorf("the path is empty")
	}
	if strings.ContainsRune(path, 0) {
		return "", fmt.Errorf("the path %q contains a zero byte", path)
	}
	seen, err := w.follow(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, fsutil.Reason(err))
	}
	real := w.DiskPath(seen)
	if real != seen {
		_ = w.mapped.Make() // after an error, the use of the folder fails
	}
	if !slices.ContainsFunc(within, func(folder string) bool { return fsutil.Within(real, folder) }) {
		return "", &OutsideError{Path: path, Leads: real, Workspace: w.root}
	}
	return real, nil
}

// Rel returns the path for messages of a path from Resolve. It is relative to the workspace with
// forward slashes. For a path outside of the workspace, it is the path that commands see.
func (w *Workspace) Rel(abs string) string {
	if rel, ok := strings.CutPrefix(abs, w.root); ok && len(rel) > 1 && rel[0] == '/' && fs.ValidPath(rel[1:]) {
		return rel[1:] // the common case, fast because a search calls Rel for every file
	}
	if !fsutil.Within(abs, w.root) {
		return w.CommandPath(abs)
	}
	rel, err := filepath.Rel(w.root, abs)
	if err != nil {
		return abs
	}
	return filepath.ToSlash(rel)
}

// Open opens a file or folder for reading, by a path from Resolve. It refuses anything else, such
// as a pipe or a device, without waiting.
func (w *Workspace) Open(abs string) (*os.File, error) {
	tree, path, err := w.Tree(abs)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	f, err := tree.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	if mode := info.Mode(); !mode.IsRegular() && !mode.IsDir() {
		f.Close()
		return nil, fmt.Errorf("it is not a regular file (%s)", mode.Type())
	}
	return f, nil
}

// Tree opens the folder that confines a path from Resolve, and returns the path within the folder.
// The caller closes the tree.
func (w *Workspace) Tree(abs string) (tree *fsutil.Tree, path string, err error) {
	base, path, err := w.SplitPath(abs)
	if err != nil {
		return nil, "", err
	}
	tree, err = fsutil.OpenTree(base)
	return tree, path, err
}

// SplitPath returns the folder that confines a path from Resolve, and the slash path within the folder.
func (w *Workspace) SplitPath(abs string) (base, path string, err error) {
	for _, folder := range append(w.Folders(), w.looks...) {
		if fsutil.Within(abs, folder) {
			path, err = filepath.Rel(folder, abs)
			return folder, filepath.ToSlash(path), err
		}
	}
	return "", "", &OutsideError{Path: abs, Leads: abs, Workspace: w.root}
}

// Lstat returns information on a path from Resolve. It follows no link.
func (w *Workspace) Lstat(abs string) (fs.FileInfo, error) {
	tree, path, err := w.Tree(abs)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	return tree.Lstat(path)
}

// OpenFolder opens a folder by a path from Resolve, to read its entries.
func (w *Workspace) OpenFolder(abs string) (*os.Root, error) {
	tree, path, err := w.Tree(abs)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	return tree.Root(path)
}

// Exists reports whether a path from the model exists inside.
func (w *Workspace) Exists(path string) bool {
	abs, err := w.Resolve(path)
	if err == nil {
		_, err = w.Lstat(abs)
	}
	return err == nil
}

// maxLinks is the number of symbolic links in a path above which the path counts as a loop, as in
// Linux.
const maxLinks = 40

// An OutsideError is returned for a path outside the workspace.
type OutsideError struct {
	// Path is the path from the model. Leads is its absolute target.
	Path, Leads string
	// Workspace is the folder that confines file access.
	Workspace string
}

func (e *OutsideError) Error() string {
	leads := ""
	if filepath.Clean(e.Path) != e.Leads {
		leads = fmt.Sprintf(" (it leads to %s)", e.Leads)
	}
	return fmt.Sprintf("%s is outside the workspace %s%s; only files inside it can be used", e.Path, e.Workspace, leads)
}
