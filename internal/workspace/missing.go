package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/ignore"
	"agent/internal/nearest"
)

// MissingError is the answer to a file that does not exist.
type MissingError struct {
	Path string
	// Nearest are existing paths that may have been meant.
	Nearest []string
}

func (e *MissingError) Error() string {
	if len(e.Nearest) == 0 {
		return fmt.Sprintf("%s does not exist", e.Path)
	}
	return fmt.Sprintf("%s does not exist; did you mean %s?", e.Path, strings.Join(e.Nearest, " or "))
}

// maxNearest is how many paths are offered instead of a missing one.
const maxNearest = 5

// Nearest returns the paths that a missing one may be for: similar names in
// its folder, then files of that name elsewhere in the workspace.
func (w *Workspace) Nearest(ctx context.Context, abs string) []string {
	folder, name := filepath.Split(abs)
	var found []string
	for _, near := range nearest.Of(name, w.names(folder), maxNearest) {
		found = append(found, w.Rel(filepath.Join(folder, near)))
	}
	elsewhere, err := ignore.Matching(ctx, w.root, w.root, func(file string) bool { return strings.EqualFold(path.Base(file), name) })
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

// names are those in a folder, none where it cannot be read.
func (w *Workspace) names(folder string) []string {
	root, err := w.OpenFolder(filepath.Clean(folder))
	if err != nil {
		return nil
	}
	defer root.Close()
	entries, _ := fs.ReadDir(root.FS(), ".")
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names
}
