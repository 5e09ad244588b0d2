package history

import (
	"path"
	"path/filepath"
)

// Absolute returns the meaning of a path that an entry names, so that paths can be compared: a
// relative path is resolved against root, "." and ".." are removed, and all systems get slashes. It
// looks nothing up on disk and keeps case.
func Absolute(root, name string) string {
	name = filepath.ToSlash(name)
	if path.IsAbs(name) || filepath.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(filepath.ToSlash(root), name)
}
