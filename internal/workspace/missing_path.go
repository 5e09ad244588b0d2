package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/suggest"
	"agent/internal/git/ignore"
)

// A MissingError is returned for a file that does not exist.
type MissingError struct {
	Path string
	// Nearest lists similar existing paths, one of which the model may have meant.
	Nearest []string
}

func (e *MissingError) Error() string {
	if len(e.Nearest) == 0 {
		return fmt.Sprintf("%s does not exist", e.Path)
	}
	return fmt.Sprintf("%s does not exist; did you mean %s?", e.Path, strings.Join(e.Nearest, " or "))
}

// maxNearest limits the number of suggested paths for a missing path.
const maxNearest = 5

// SimilarPaths returns paths that are similar to a missing path: similar names in its folder, then files
// with the same name elsewhere in the workspace.
func (w *Workspace) SimilarPaths(ctx context.Context, abs string) []string {
	folder, name := filepath.Split(abs)
	var found, names []string
	if root, err := w.OpenFolder(filepath.Clean(folder)); err == nil {
		entries, _ := fs.ReadDir(root.FS(), ".")
		root.Close()
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
	}
	for _, near := range suggest.Similar(name, names, maxNearest) {
		found = append(found, w.Rel(filepath.Join(folder, near)))
	}
	elsewhere, err := ignore.MatchingFiles(ctx, w.root, w.root, func(file string) bool { return strings.EqualFold(path.Base(file), name) })
	if err != nil {
		return found
	}
	for _, file := range elsewhere {
		if !slices.Contains(found, file) {
			found = append(found, file)
		}
	}
	return found[:min(len(found), maxNearest)]
}
