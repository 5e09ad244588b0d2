package fsutil

import (
	"path/filepath"
	"strings"
)

// Tilde returns a path with ~ in place of the home folder, and with slashes. Other paths, and all if
// home is empty, it returns unchanged.
func Tilde(path, home string) string {
	if home == "" || !Within(path, home) {
		return path
	}
	return strings.TrimSuffix("~/"+strings.TrimLeft(filepath.ToSlash(path[len(home):]), "/"), "/")
}
