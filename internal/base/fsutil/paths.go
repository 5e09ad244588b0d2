package fsutil

import (
	"os"
	"path/filepath"
	"strings"
)

// At joins a path to the folder that it is relative to. It only cleans an absolute path, or one that
// begins at the root of some drive.
func At(folder, path string) string {
	if filepath.IsAbs(path) || path != "" && os.IsPathSeparator(path[0]) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}

// Real resolves the symbolic links in the existing part of a path.
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

// Short returns a path relative to root, with slashes, if the path is below root, and the path
// itself otherwise.
func Short(path, root string) string {
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// Shorten returns a text with the paths below root in it relative to root.
func Shorten(text, root string) string {
	text = strings.ReplaceAll(text, root+string(filepath.Separator), "")
	return strings.ReplaceAll(text, filepath.ToSlash(root)+"/", "")
}

// IsAt reports whether the file that info describes is still at path, not followed as a link. Another
// program may have removed it, or put something else in its place.
func IsAt(path string, info os.FileInfo) bool {
	there, err := os.Lstat(path)
	return err == nil && info != nil && os.SameFile(there, info)
}
