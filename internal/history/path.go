package history

import (
	"path"
	"path/filepath"
)

// Absolute returns a normal form of a path in an entry, so that paths can be compared. A relative path
// is resolved against root, "." and ".." are removed, and separators become slashes. Absolute does not
// access the disk and keeps case.
func Absolute(root, name string) string {
	name = filepath.ToSlash(name)
	if path.IsAbs(name) || filepath.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(filepath.ToSlash(root), name)
}
