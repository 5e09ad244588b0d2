package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agent/internal/ignore"
)

// searchedBytes is the size above which a file is not searched.
const searchedBytes = 32 << 20

// filesToSearch returns the absolute paths of the files that a search is about,
// ordered by path. A file that path names is always one of them.
func (w *Workspace) filesToSearch(ctx context.Context, path, include string) ([]string, error) {
	if include != "" && !doublestar.ValidatePattern(include) {
		return nil, fmt.Errorf("include %q is no valid glob", include)
	}
	abs, info, err := w.place(path)
	if err != nil {
		return nil, err
	}
	switch {
	case info.Mode().IsRegular():
		return []string{abs}, nil
	case !info.IsDir():
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	files, err := w.filesBelow(ctx, abs)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(files, func(file string) bool {
		return include != "" && !includes(include, w.Rel(file)) || !searchable(file)
	}), nil
}

// includes reports whether a glob is about a path. Without a slash it is about the
// file's name in any folder.
func includes(glob, file string) bool {
	if !strings.Contains(glob, "/") {
		return doublestar.MatchUnvalidated(glob, path.Base(file))
	}
	return doublestar.MatchUnvalidated(strings.TrimPrefix(glob, "./"), file)
}

func searchable(file string) bool {
	info, err := os.Lstat(file)
	return err == nil && info.Mode().IsRegular() && info.Size() <= searchedBytes
}

// place resolves the path of a file or folder that a tool starts from; an empty
// one is the workspace.
func (w *Workspace) place(path string) (string, fs.FileInfo, error) {
	if path == "" {
		path = "."
	}
	abs, err := w.Resolve(path)
	if err != nil {
		return "", nil, err
	}
	info, err := os.Stat(abs)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, &MissingError{Path: path}
	}
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", path, cause(err))
	}
	return abs, info, nil
}

// filesBelow returns the absolute paths of the files below a folder that git does
// not ignore, ordered by path. A folder that is itself ignored is listed all the
// same: whoever names it means it.
func (w *Workspace) filesBelow(ctx context.Context, dir string) ([]string, error) {
	root, ok := w.base(dir)
	if !ok {
		return nil, &OutsideError{Path: dir, Leads: dir, Workspace: w.root}
	}
	files, err := ignore.Files(ctx, root, dir)
	if err == nil && len(files) == 0 && dir != root {
		root = dir
		files, err = ignore.Files(ctx, root, dir)
	}
	for i, file := range files {
		files[i] = filepath.Join(root, filepath.FromSlash(file))
	}
	return files, err
}
