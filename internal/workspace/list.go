package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"agent/internal/base/fsutil"
	"agent/internal/git/ignore"
)

// ResolveStart resolves the path of the file or folder at which a tool starts. An empty path means the
// workspace.
func (w *Workspace) ResolveStart(path string) (string, fs.FileInfo, error) {
	if path == "" {
		path = "."
	}
	abs, err := w.Resolve(path)
	if err != nil {
		return "", nil, err
	}
	info, err := w.Lstat(abs) // if this is a link, it was just created
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, &MissingError{Path: path}
	}
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", path, fsutil.Reason(err))
	}
	return abs, info, nil
}

// Folder resolves the path of a folder from the model.
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

// Files returns the files below the folder dir that git does not ignore and that keep accepts. keep
// receives slash paths relative to dir. The result is sorted and relative to base, the folder that
// confines dir. A dir that is itself ignored is still listed, because it was named explicitly.
func (w *Workspace) Files(ctx context.Context, dir string, keep func(file string) bool) (base string, files []string, err error) {
	base, _, err = w.SplitPath(dir)
	if err != nil {
		return "", nil, err
	}
	files, err = ignore.MatchingFiles(ctx, base, dir, keep)
	return base, files, err
}
