package fsutil

import (
	"os"
	"path/filepath"
	"strings"
)

// ResolveIn joins path to folder unless path is absolute. It only cleans a path that is absolute, or that
// begins at the root of the current drive.
func ResolveIn(folder, path string) string {
	if filepath.IsAbs(path) || path != "" && os.IsPathSeparator(path[0]) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}

// ResolveLinks resolves the symbolic links in the existing part of a path.
func ResolveLinks(path string) string {
	for dir := path; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, strings.TrimPrefix(path, dir))
		}
		if dir == filepath.Dir(dir) {
			return path
		}
	}
}

// RelativeBelow returns path relative to root, with slashes, if it is below root. Otherwise it returns path
// unchanged.
func RelativeBelow(path, root string) string {
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// ShortenPaths returns text with all paths below root made relative to root.
func ShortenPaths(text, root string) string {
	text = strings.ReplaceAll(text, root+string(filepath.Separator), "")
	return strings.ReplaceAll(text, filepath.ToSlash(root)+"/", "")
}

// IsAt reports whether path still names the file that info describes. It does not follow a link.
// Another program may have removed or replaced the file.
func IsAt(path string, info os.FileInfo) bool {
	there, err := os.Lstat(path)
	return err == nil && info != nil && os.SameFile(there, info)
}
