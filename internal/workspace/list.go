package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"agent/internal/disk"
	"agent/internal/ignore"
)

// Place resolves the path of a file or folder that a tool starts from; an empty
// one is the workspace.
func (w *Workspace) Place(path string) (string, fs.FileInfo, error) {
	if path == "" {
		path = "."
	}
	abs, err := w.Resolve(path)
	if err != nil {
		return "", nil, err
	}
	info, err := w.Lstat(abs) // no link, or one that has just been put there
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, &MissingError{Path: path}
	}
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", path, disk.Reason(err))
	}
	return abs, info, nil
}

// Folder resolves the path of a folder given by the model.
func (w *Workspace) Folder(path string) (string, error) {
	abs, err := w.Resolve(path)
	if err != nil {
		return "", err
	}
	if _, err := realFolder(abs); err != nil {
		return "", fmt.Errorf("directory %s: %w", path, err)
	}
	return abs, nil
}

// Files returns the files below a folder that git does not ignore and for whose slash
// path in dir keep is true, as slash paths in base, the folder that confines dir, ordered.
// A folder that is itself ignored is listed all the same: it was named on purpose.
func (w *Workspace) Files(ctx context.Context, dir string, keep func(file string) bool) (base string, files []string, err error) {
	base, _, err = w.Below(dir)
	if err != nil {
		return "", nil, err
	}
	files, err = ignore.Matching(ctx, base, dir, keep)
	return base, files, err
}
