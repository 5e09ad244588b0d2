package disk

import (
	"path/filepath"
	"strings"
)

// At joins a path to the folder that it is relative to; an absolute one is only cleaned.
func At(folder, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}

// Within reports whether a clean path is folder or below it. It uses the
// names alone and allocates nothing.
func Within(path, folder string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(folder, "/"))
	return path == folder || ok && strings.HasPrefix(rest, "/")
}

// Real is a path without symbolic links, as far as it exists.
func Real(path string) string {
	for dir := path; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, strings.TrimPrefix(path, dir))
		}
		if dir == filepath.Dir(dir) {
			return path
		}
	}
}

// Short is the path from root on for one that is below it, else the path.
func Short(path, root string) string {
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}
