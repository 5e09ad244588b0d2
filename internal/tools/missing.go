package tools

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/ignore"
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

// nearestFiles returns the paths that a missing one may stand for: files of that
// name elsewhere in the workspace, then similar names in its folder.
func (w *Workspace) nearestFiles(ctx context.Context, abs string) []string {
	var found []string
	name := filepath.Base(abs)
	if files, err := ignore.Files(ctx, w.root, w.root); err == nil && inside(w.root, abs) {
		for _, file := range files {
			if strings.EqualFold(path.Base(file), name) {
				found = append(found, file)
			}
		}
	}
	entries, _ := os.ReadDir(filepath.Dir(abs))
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	for _, near := range nearest(name, names, maxNearest) {
		found = append(found, w.Rel(filepath.Join(filepath.Dir(abs), near)))
	}
	slices.SortStableFunc(found, func(a, b string) int {
		return editDistance(a, w.Rel(abs)) - editDistance(b, w.Rel(abs))
	})
	found = slices.Compact(found)
	return found[:min(len(found), maxNearest)]
}
